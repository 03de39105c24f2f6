import type { MutantEntry, ProveDocument, ProveVerdict, NoEvidenceTargetResult } from '../../reports/prove-document.ts'
import { streamProgressCheck } from '../sections/4.2-stream/stream-timing.ts'
import { CHECKS } from '../sections/checks.ts'
import { type AnyCheck, isSummaryCheck } from '../engine/check.ts'
import { loadSdk } from '../sections/1-service/load-sdk.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import type { Mutant } from '../mutation/mutant.ts'
import { MUTANTS } from '../sections/mutants.ts'
import { type BaselineExchange, findChangedSources } from './changed-traffic.ts'
import { type ComparedResult, type ComparedResults, evaluateMutant } from './evaluate-mutant.ts'
import { runNoEvidenceTargets } from './no-evidence-targets/run-no-evidence-targets.ts'
import { runBaseline } from './run-mutant.ts'
import { startWorkerPool, type WorkerPool } from './threads/worker-pool.ts'

export { InvalidOptionError, MUTANTS }
export type { Mutant }

export interface ProveOptions {
  /** IDs of the mutants to test. Default: all. If set, the baseline consists of their checks, unless `full` is set. */
  readonly only?: readonly string[]
  /** Whether to run the whole suite against each mutant, not only the checks of the operations that it concerns. */
  readonly full?: boolean
  /** Mutants to test instead of the built-in ones. */
  readonly source?: MutantSource
  readonly toolVersion?: string
  /** Cancels the runs. The document then contains the results so far. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

/** A list of mutants, with a worker file that imports the same list. */
export interface MutantSource {
  readonly mutants: readonly Mutant[]
  readonly workerFile: URL
}

const BUILT_IN_MUTANTS: MutantSource = {
  mutants: MUTANTS,
  workerFile: new URL('./threads/built-in-mutants.ts', import.meta.url),
}

/**
 * Runs the suite once without a mutant and once against each mutant, and reports the checks that caught each mutant.
 * Without `only`, also runs every check against targets that provide no evidence of conformance, and reports the checks
 * that passed.
 * @throws InvalidOptionError if `only` contains an unknown ID or the `openai` package is missing; Error if a run fails
 */
export async function prove(options: ProveOptions = {}): Promise<ProveDocument> {
  const { full = false, signal, source = BUILT_IN_MUTANTS, toolVersion = '0.0.0' } = options
  const startedAt = new Date()
  const mutants = selectMutants(source.mutants, options.only ?? [])
  // Detects a missing SDK before the first run. Without it, all runs would fail.
  await loadSdk(undefined)
  const team = startWorkerPool(source.workerFile, mutants.length)
  const { baseline, entries } = await runAll(team, mutants, options).finally(() => team.close())
  const isSelection = options.only !== undefined && options.only.length > 0
  const evidenceRun = isSelection ? undefined : await runNoEvidenceTargets(CHECKS, signal)
  const targetsWithoutEvidence = signal?.aborted === true ? undefined : evidenceRun
  const failingWithout = [...baseline.values()].filter(({ verdict }) => !SOUND.has(verdict))
  const withoutMutant = findChecksWithoutMutant(source.mutants)
  return {
    schemaVersion: 1,
    kind: 'prove',
    tool: { name: 'touchstone', version: toolVersion },
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    verdict: verdictOf({
      failingWithout,
      withoutMutant,
      entries,
      targetsWithoutEvidence: targetsWithoutEvidence ?? [],
      signal,
    }),
    full,
    selection: isSelection ? { only: options.only ?? [] } : null,
    failingWithout: failingWithout.map(({ id, verdict, actual }) => ({ check: id, actual: `${verdict}: ${actual}` })),
    checksWithoutMutant: withoutMutant,
    mutants: entries,
    ...(targetsWithoutEvidence === undefined ? {} : { targetsWithoutEvidence }),
    checks: CHECKS.map(({ id }) => ({
      id,
      caught: entries.filter(({ kills }) => kills.includes(id)).map((mutant) => mutant.id),
    })),
  }
}

/** Returns the IDs of the checks that none of these mutants lists under `kills`. */
export function findChecksWithoutMutant(mutants: readonly Mutant[]): string[] {
  const meant = new Set(mutants.flatMap(({ kills }) => Object.keys(kills)))
  return CHECKS.map(({ id }) => id).filter((id) => !meant.has(id))
}

const SOUND: ReadonlySet<string> = new Set(['pass', 'observed'])

function selectMutants(table: readonly Mutant[], only: readonly string[]): readonly Mutant[] {
  const unknown = only.find((id) => table.every((mutant) => mutant.id !== id))
  if (unknown !== undefined) {
    const example = table[0]?.id ?? ''
    throw new InvalidOptionError({ reason: 'unknown-mutant', value: unknown, example })
  }
  return only.length === 0 ? table : table.filter(({ id }) => only.includes(id))
}

interface ProveResults {
  readonly baseline: ComparedResults
  readonly entries: readonly MutantEntry[]
}

/** Runs the baseline, and then all mutants in parallel, those that require a burst first: they take longest. */
async function runAll(
  team: WorkerPool,
  mutants: readonly Mutant[],
  { only = [], full = false, signal, onProgress }: ProveOptions,
): Promise<ProveResults> {
  const isAborted = (): boolean => signal?.aborted === true
  if (isAborted()) return { baseline: new Map(), entries: [] }
  // If the user selects mutants, the baseline requires only their checks, unless each run contains the whole suite.
  const isWhole = only.length === 0 || full
  const baselineChecks = isWhole ? [] : [...new Set(mutants.flatMap(listComparedChecks))]
  const { results, traffic } = await runBaseline(baselineChecks, signal)
  if (isAborted()) return { baseline: new Map(), entries: [] }
  const baseline = indexById(results)
  const bursts = mutants.filter(hasBurst)
  const queue = [...bursts, ...mutants.filter((mutant) => !bursts.includes(mutant))]
  const found = new Map<Mutant, ComparedResults>()
  const runNext = async (): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined && !isAborted(); mutant = queue.shift()) {
      const checks = full ? [] : selectChecks(mutant, mutants.indexOf(mutant), traffic)
      found.set(mutant, indexById(await team.run({ mutant: mutant.id, only: checks })))
      onProgress?.({ done: found.size, total: mutants.length })
    }
  }
  signal?.addEventListener('abort', () => void team.close(), { once: true })
  await Promise.all(Array.from({ length: team.concurrency }, runNext)).catch((error: unknown) => {
    // An abort terminates the worker threads, which is why the runs in progress reject.
    if (!isAborted()) throw error
  })
  return { baseline, entries: mutants.flatMap((mutant) => entryOf(mutant, found.get(mutant), baseline)) }
}

function indexById(results: readonly ComparedResult[]): ComparedResults {
  return new Map(results.map((result) => [result.id, result]))
}

function entryOf(mutant: Mutant, found: ComparedResults | undefined, baseline: ComparedResults): MutantEntry[] {
  if (found === undefined) return []
  return [{ id: mutant.id, breaks: mutant.breaks, ...evaluateMutant(mutant, found, baseline) }]
}

/** Maximum number of requests of a check that runs although the mutant does not list it. */
const MAX_REQUESTS = 12

/** Maximum number of checks that run against a mutant although it lists them under neither `kills` nor `mayAffect`. */
const MAX_OTHER_CHECKS = 12

/** IDs of checks that take a long time although they send few requests. */
const SLOW_CHECKS: ReadonlySet<string> = new Set([streamProgressCheck.id])

/**
 * Returns the IDs of the checks to run against a mutant: those that it lists, and some of the compared checks whose
 * requests or responses its hooks change. Returns all compared checks if the mutant must be caught by a summary check,
 * which evaluates the responses to all checks.
 * @param position of the mutant in the list. Other mutants run other checks
 */
function selectChecks(mutant: Mutant, position: number, traffic: readonly BaselineExchange[]): readonly string[] {
  const compared = listComparedChecks(mutant)
  if (CHECKS.some((check) => isSummaryCheck(check) && Object.hasOwn(mutant.kills, check.id))) return compared
  const named = listNamedChecks(mutant)
  const others = compared.filter((id) => !named.has(id))
  const touched = others.filter(selectTouched(mutant, traffic))
  const step = Math.ceil(touched.length / MAX_OTHER_CHECKS)
  const some = new Set(touched.filter((_, index) => (index + position) % step === 0))
  return compared.filter((id) => named.has(id) || some.has(id))
}

/** Selects the checks whose traffic a mutant changes: all, if it also changes more, or requests before the checks. */
function selectTouched(mutant: Mutant, traffic: readonly BaselineExchange[]): (id: string) => boolean {
  const { emulator, fundedKey, timeoutMs } = mutant
  if (emulator !== undefined || fundedKey !== undefined || timeoutMs !== undefined) return () => true
  const { changed, decisive } = findChangedSources(mutant.hooks, traffic)
  return [...decisive].some((source) => !CHECK_IDS.has(source)) ? () => true : (id) => changed.has(id)
}

const CHECK_IDS: ReadonlySet<string> = new Set(CHECKS.map(({ id }) => id))

function listNamedChecks({ kills, mayAffect = [] }: Mutant): ReadonlySet<string> {
  return new Set([...Object.keys(kills), ...mayAffect])
}

/**
 * Lists the IDs of the checks that a mutant concerns. These are the checks that it lists under `kills` and `mayAffect`,
 * and other checks of the same operations. Checks with bursts or many requests, slow checks and summary checks run only
 * if the mutant lists them. If checks of agents must catch the mutant, no other checks run.
 */
function listComparedChecks(mutant: Mutant): readonly string[] {
  const named = listNamedChecks(mutant)
  const operations = new Set(CHECKS.filter(({ id }) => named.has(id)).map(({ operation }) => operation))
  const isAboutAgents = CHECKS.some(({ id, group }) => group === 'agents' && Object.hasOwn(mutant.kills, id))
  // A mutant of agents changes only requests that no other checks send.
  const groups = new Set<AnyCheck['group']>([isAboutAgents ? 'agents' : undefined])
  const isQuick = (check: AnyCheck): boolean =>
    !isSummaryCheck(check) &&
    !SLOW_CHECKS.has(check.id) &&
    check.cost.requests <= MAX_REQUESTS &&
    !check.needs.includes('limited')
  return CHECKS.filter(
    (check) => named.has(check.id) || (operations.has(check.operation) && groups.has(check.group) && isQuick(check)),
  ).map(({ id }) => id)
}

function hasBurst({ kills }: Mutant): boolean {
  return CHECKS.some(({ id, needs }) => Object.hasOwn(kills, id) && needs.includes('limited'))
}

interface Outcome {
  readonly failingWithout: readonly ComparedResult[]
  readonly withoutMutant: readonly string[]
  readonly entries: readonly MutantEntry[]
  readonly targetsWithoutEvidence: readonly NoEvidenceTargetResult[]
  readonly signal: AbortSignal | undefined
}

function verdictOf({ failingWithout, withoutMutant, entries, targetsWithoutEvidence, signal }: Outcome): ProveVerdict {
  if (signal?.aborted === true) return 'interrupted'
  if (failingWithout.some(({ verdict }) => verdict === 'error')) return 'harness-error'
  const hasShortfall = entries.some(({ shortfalls }) => shortfalls.length > 0)
  const passesWithoutEvidence = targetsWithoutEvidence.some(
    ({ unexpected, outdated }) => unexpected.length + outdated.length > 0,
  )
  const isSound = failingWithout.length + withoutMutant.length === 0 && !passesWithoutEvidence
  return isSound && !hasShortfall ? 'proven' : 'not-proven'
}
