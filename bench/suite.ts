/**
 * Measures the duration of `touchstone conformance` against the built-in emulator, and of `prove`. Also checks that
 * repeated runs give the same verdicts, even while other processes keep all cores busy. Prints JSON, then one line.
 * Exit code: 0 if the durations are within the bounds and all runs agree, else 1.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConformanceDocument } from '../reports/conformance-document.ts'
import { readFlags } from './read-flags.ts'
import { calculateRunStatistics } from './statistics.ts'

const PROGRAM = fileURLToPath(new URL('../cli/bin.js', import.meta.url))
const MAX_CONFORMANCE_S = 3
const MAX_PROVE_S = 60

const values = readFlags({
  quiet: { type: 'string', default: '5' },
  busy: { type: 'string', default: '20' },
  'no-prove': { type: 'boolean', default: false },
})

interface CommandTimes {
  readonly exitCode: number | null
  readonly wallS: number
}

interface SuiteRun extends CommandTimes {
  /** Verdicts, keyed by check ID. */
  readonly verdicts: Readonly<Record<string, string>>
  readonly words: Readonly<Record<string, string>>
  /** The problem of the target, or the first check that did not pass. Undefined if the run was conformant. */
  readonly trouble: string | undefined
}

/** Runs `touchstone` with these arguments and discards its output. */
async function timeCommand(args: readonly string[]): Promise<CommandTimes> {
  const start = performance.now()
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  await once(child, 'close')
  return { exitCode: child.exitCode, wallS: (performance.now() - start) / 1000 }
}

async function runSuite(directory: string): Promise<SuiteRun> {
  const run = await timeCommand(['conformance', '--out', directory])
  const text = await readFile(join(directory, 'conformance.json'), 'utf8')
  // The cast is safe: the conformance command wrote this file and validated it.
  const { checks, target } = JSON.parse(text) as ConformanceDocument
  const bad = checks.find(({ verdict }) => verdict !== 'pass' && verdict !== 'observed')
  return {
    ...run,
    verdicts: Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict])),
    trouble:
      run.exitCode === 0
        ? undefined
        : (target.problem ?? (bad === undefined ? undefined : `${bad.id}: ${bad.verdict}, ${bad.actual}`)),
    words: Object.fromEntries(checks.map(({ id, actual }) => [id, actual])),
  }
}

async function runSuites(count: number, directory: string, what: string): Promise<SuiteRun[]> {
  const runs: SuiteRun[] = []
  while (runs.length < count) {
    runs.push(await runSuite(directory))
    process.stderr.write(`${what}: ${runs.length} of ${count}\n`)
  }
  return runs
}

/** Returns the IDs of the checks whose value differs between runs. */
function listUnsteady(received: readonly Readonly<Record<string, string>>[]): string[] {
  const ids = new Set(received.flatMap((run) => Object.keys(run)))
  return [...ids].filter((id) => new Set(received.map((run) => run[id])).size > 1)
}

function figuresOf(runs: readonly CommandTimes[]) {
  return { wallS: calculateRunStatistics(runs.map(({ wallS }) => wallS)) }
}

async function runBusy(directory: string): Promise<SuiteRun[]> {
  const loads = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  )
  try {
    return await runSuites(Number(values.busy), directory, 'conformance, busy')
  } finally {
    for (const load of loads) load.kill('SIGKILL')
  }
}

const directory = await mkdtemp(join(tmpdir(), 'touchstone-bench-'))
const quiet = await runSuites(Number(values.quiet), directory, 'conformance')
const busy = await runBusy(directory)
const prove = values['no-prove'] ? [] : [await timeCommand(['prove', '--out', directory])]
await rm(directory, { recursive: true })

const all = [...quiet, ...busy]
const troubles = all.flatMap(({ trouble }) => trouble ?? [])
const unsteady = listUnsteady(all.map(({ verdicts }) => verdicts))
const unsteadyWords = listUnsteady(all.map(({ words }) => words))
const conformance = figuresOf(quiet)
const failed = [...all, ...prove].filter(({ exitCode }) => exitCode !== 0).length
const holds =
  conformance.wallS.median < MAX_CONFORMANCE_S &&
  prove.every(({ wallS }) => wallS < MAX_PROVE_S) &&
  unsteady.length + failed === 0
process.stdout.write(
  `${JSON.stringify({ runs: all.length, conformance, busy: figuresOf(busy), prove: prove[0] ?? null, failed, troubles, unsteady, unsteadyWords })}\n` +
    `suite: ${conformance.wallS.median} s (limit: ${MAX_CONFORMANCE_S}), ` +
    `proof: ${prove[0]?.wallS.toFixed(1) ?? 'not measured'} s (limit: ${MAX_PROVE_S}), ` +
    `${unsteady.length} checks with changing verdicts in ${all.length} runs, ${values.busy} of them under load\n`,
)
process.exitCode = holds ? 0 : 1
