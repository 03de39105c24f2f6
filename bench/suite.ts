/**
 * Measures the conformance suite against the built-in emulator, and `prove`, from command to verdict. Checks that
 * repeated runs give the same outcomes, also while other processes keep every core busy. Prints JSON, then one line.
 * Exit code: 0 if the bounds hold and all runs agree, else 1.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConformanceDocument } from '../reports/conformance-document.ts'
import { readFlags } from './read-flags.ts'
import { calculateSpread } from './statistics.ts'
import { keepBusy, timeCommand, type TimedRun } from './timed-command.ts'

const MOST_CONFORMANCE_S = 3
const MOST_PROVE_S = 60

const values = readFlags({
  quiet: { type: 'string', default: '5' },
  busy: { type: 'string', default: '20' },
  'no-prove': { type: 'boolean', default: false },
})

/** One run of the suite: its duration, and the verdict of each check. */
interface SuiteRun extends TimedRun {
  /** Keyed by check ID. */
  readonly verdicts: Readonly<Record<string, string>>
  readonly words: Readonly<Record<string, string>>
  /** Why the run did not end conformant: the problem with the whole target, or the first check that did not pass. */
  readonly trouble: string | undefined
}

async function runSuite(directory: string): Promise<SuiteRun> {
  const run = await timeCommand(['conformance', '--front', 'vitest', '--out', directory])
  const text = await readFile(join(directory, 'conformance.json'), 'utf8')
  const { checks, target } = JSON.parse(text) as ConformanceDocument // written by the command a moment ago
  const bad = checks.find(({ verdict }) => verdict !== 'pass' && verdict !== 'observed')
  return {
    ...run,
    verdicts: Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict])),
    trouble: target.problem ?? (bad === undefined ? undefined : `${bad.id}: ${bad.verdict}, ${bad.actual}`),
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

/** IDs of the checks whose verdict differs between runs. */
function unsteadyOf(said: readonly Readonly<Record<string, string>>[]): string[] {
  const ids = new Set(said.flatMap((run) => Object.keys(run)))
  return [...ids].filter((id) => new Set(said.map((run) => run[id])).size > 1)
}

/** Upper bounds, in seconds. */
function figuresOf(runs: readonly TimedRun[]) {
  return { wallS: calculateSpread(runs.map(({ wallS }) => wallS)), cpuS: calculateSpread(runs.map(({ cpuS }) => cpuS)) }
}

async function runBusy(directory: string): Promise<SuiteRun[]> {
  const load = keepBusy(availableParallelism())
  try {
    return await runSuites(Number(values.busy), directory, 'conformance, busy')
  } finally {
    load.end()
  }
}

const directory = await mkdtemp(join(tmpdir(), 'touchstone-bench-'))
const quiet = await runSuites(Number(values.quiet), directory, 'conformance')
const busy = await runBusy(directory)
const prove = values['no-prove'] ? [] : [await timeCommand(['prove', '--out', directory])]
await rm(directory, { recursive: true })

const all = [...quiet, ...busy]
const troubles = all.flatMap(({ trouble }) => trouble ?? [])
const unsteady = unsteadyOf(all.map(({ verdicts }) => verdicts))
const unsteadyWords = unsteadyOf(all.map(({ words }) => words))
const conformance = figuresOf(quiet)
const failed = [...all, ...prove].filter(({ exitCode }) => exitCode !== 0).length
const holds =
  conformance.wallS.median < MOST_CONFORMANCE_S &&
  prove.every(({ wallS }) => wallS < MOST_PROVE_S) &&
  unsteady.length + failed === 0
process.stdout.write(
  `${JSON.stringify({ runs: all.length, conformance, busy: figuresOf(busy), prove: prove[0] ?? null, failed, troubles, unsteady, unsteadyWords })}\n` +
    `suite: ${conformance.wallS.median} s (allowed: less than ${MOST_CONFORMANCE_S}), ` +
    `proof: ${prove[0]?.wallS.toFixed(1) ?? 'not measured'} s (allowed: less than ${MOST_PROVE_S}), ` +
    `${unsteady.length} checks with changing verdicts in ${all.length} runs, ${values.busy} of them beside a load\n`,
)
process.exitCode = holds ? 0 : 1
