import { Worker } from 'node:worker_threads'

/** A generator of cases. The same seed and number give the same case. */
export interface GeneratedCases<Case> {
  /** Name in the message about a case that hangs. */
  readonly name: string
  generate(seed: number, number: number): Case
  /** Runs a case. Returns a description of its error, or undefined. */
  run(generated: Case): Promise<string | undefined>
}

export interface FuzzOptions {
  readonly seed: number
  /** Number of the first case. */
  readonly first: number
  /** Time after which no further case starts. */
  readonly seconds: number
  /** Maximum number of cases. */
  readonly maxCases: number
  /** Called after each case with its number. */
  onCase?(number: number): void
}

export interface FuzzResult {
  readonly cases: number
  readonly failures: readonly { readonly number: number; readonly failure: string }[]
}

/** Time after which a case counts as a hang, in milliseconds. It is long enough for a busy machine. */
const MAX_CASE_MS = 120_000
/** Number of failures after which the run stops, because one defect may cause hundreds. */
const MAX_FAILURES = 10

/** Runs random cases one after another. Kills the process if a case hangs. */
export async function runGeneratedCases<Case>(
  { name, generate, run }: GeneratedCases<Case>,
  options: FuzzOptions,
): Promise<FuzzResult> {
  const { seed, first, seconds, maxCases, onCase } = options
  const endMs = performance.now() + seconds * 1000
  const failures: { number: number; failure: string }[] = []
  const current = new Int32Array(new SharedArrayBuffer(4))
  const watchdog = new Worker(WATCHDOG, { eval: true, workerData: { current, name, seed, maxCaseMs: MAX_CASE_MS } })
  watchdog.unref()
  let cases = 0
  for (; cases < maxCases && performance.now() < endMs && failures.length < MAX_FAILURES; cases += 1) {
    const number = first + cases
    current[0] = number
    const failure = await run(generate(seed, number))
    if (failure !== undefined) failures.push({ number, failure })
    onCase?.(number)
  }
  await watchdog.terminate()
  return { cases, failures }
}

/** A thread that kills the process if the number of the case does not change. A hang blocks the timers of this thread. */
const WATCHDOG = `
const { workerData: { current, name, seed, maxCaseMs } } = require('node:worker_threads')
let last = -1
setInterval(() => {
  if (current[0] === last) {
    require('node:fs').writeSync(2, name + ': --seed ' + seed + ' --only ' + last + ' hangs\\n')
    process.kill(process.pid, 'SIGKILL')
  }
  last = current[0]
}, maxCaseMs)
`
