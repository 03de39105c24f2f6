import { Worker } from 'node:worker_threads'

/** A generator of cases. The same seed and number give the same case. */
interface GeneratedCases<Case> {
  /** Name in the message about a case that hangs. */
  readonly name: string
  generate(seed: number, number: number): Case
  /** Runs a case. Returns a description of its error, or undefined. */
  run(generated: Case): Promise<string | undefined>
}

interface FuzzLimits {
  readonly seed: number
  /** Time after which no further case starts. */
  readonly seconds: number
  readonly maxCases: number
}

interface FuzzResult<Case> {
  readonly cases: number
  /** Cases for the corpus, with their errors. */
  readonly failures: readonly { readonly found: Case; readonly failure: string }[]
}

/** Time after which a case counts as a hang, in milliseconds. It is long enough for a busy machine. */
const MAX_CASE_MS = 120_000
/** Number of failures after which the run stops, because one defect may cause hundreds. */
const MAX_FAILURES = 10

const IS_LONG = process.env['TOUCHSTONE_LONG'] === '1'
const { TOUCHSTONE_FUZZ_SECONDS = '1200', TOUCHSTONE_FUZZ_SEED = IS_LONG ? `${Date.now() % 2 ** 31}` : '1' } =
  process.env

/**
 * Returns the limits of a test with generated cases: a number of cases, or in the nightly tier, which sets
 * TOUCHSTONE_LONG, a time and a new seed. `TOUCHSTONE_FUZZ_SECONDS` and `TOUCHSTONE_FUZZ_SEED` replace these.
 */
export function readFuzzLimits(maxCases: number): FuzzLimits {
  const limits = IS_LONG
    ? { seconds: Number(TOUCHSTONE_FUZZ_SECONDS), maxCases: Infinity }
    : { seconds: Infinity, maxCases }
  return { seed: Number(TOUCHSTONE_FUZZ_SEED), ...limits }
}

/** Runs random cases one after another. Kills the process if a case hangs. */
export async function runGeneratedCases<Case>(
  { name, generate, run }: GeneratedCases<Case>,
  { seed, seconds, maxCases }: FuzzLimits,
  onCase?: () => void,
): Promise<FuzzResult<Case>> {
  const endMs = performance.now() + seconds * 1000
  const failures: { found: Case; failure: string }[] = []
  const current = new Int32Array(new SharedArrayBuffer(4))
  const watchdog = new Worker(WATCHDOG, { eval: true, workerData: { current, name, seed, maxCaseMs: MAX_CASE_MS } })
  watchdog.unref()
  let cases = 0
  for (; cases < maxCases && performance.now() < endMs && failures.length < MAX_FAILURES; cases += 1) {
    current[0] = cases
    const found = generate(seed, cases)
    const failure = await run(found)
    if (failure !== undefined) failures.push({ found, failure })
    onCase?.()
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
    require('node:fs').writeSync(2, name + ': case ' + last + ' with seed ' + seed + ' hangs\\n')
    process.kill(process.pid, 'SIGKILL')
  }
  last = current[0]
}, maxCaseMs)
`
