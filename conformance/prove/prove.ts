import type { DefectEntry, ProveDocument, ProveVerdict, SilentTargetEntry } from '../../reports/prove-document.ts'
import { streamProgress } from '../checks/4.2-stream-pace.ts'
import { CHECKS } from '../checks/all.ts'
import { type AnyCheck, isSummaryCheck } from '../engine/check.ts'
import { loadSdk } from '../checks/sdk/load-sdk.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import type { Mutant } from './mutant.ts'
import { MUTANTS } from './mutants/all.ts'
import { type CheckResult, type CheckResults, evaluateMutant } from './evaluate-mutant.ts'
import { runSilentTargets } from './silence/run-silent-target.ts'
import { startWorkerPool, type WorkerPool } from './threads/worker-pool.ts'

export { InvalidOptionError, MUTANTS }
export type { Mutant }

/** Options of a proof. */
export interface ProveOptions {
  /** Ids of mutants. Default: all. With ids, the run without a mutant contains only the checks that they concern. */
  readonly only?: readonly string[]
  /** Runs the whole suite against each mutant, instead of only the checks of its operations. */
  readonly full?: boolean
  /** Replaces the built-in mutants. */
  readonly source?: MutantSource
  /** Version of the tool, for the document. */
  readonly toolVersion?: string
  /** Ends the proof early: the document then contains the results so far. */
  readonly signal?: AbortSignal
  /** Called after each mutant. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

/** A table of mutants, and the program of a thread with the same table. */
export interface MutantSource {
  readonly table: readonly Mutant[]
  readonly program: URL
}

const OWN_SOURCE: MutantSource = { table: MUTANTS, program: new URL('./threads/own-table.ts', import.meta.url) }

/**
 * Runs the suite without a mutant and against each mutant, and reports which checks caught it. Without a selection, also
 * runs every check against targets that say nothing, and reports which checks passed there.
 * @throws InvalidOptionError if `only` names no mutant, or a package is missing; Error if a run could not be made
 */
export async function prove(options: ProveOptions = {}): Promise<ProveDocument> {
  const { full = false, signal, source = OWN_SOURCE, toolVersion = '0.0.0' } = options
  const startedAt = new Date()
  const mutants = chosen(source.table, options.only ?? [])
  // Some checks use the SDK: without it, every run in every thread would fail.
  await loadSdk(undefined)
  const team = startWorkerPool(source.program)
  const { baseline, entries } = await runAll(team, mutants, options).finally(() => team.close())
  const isSelection = options.only !== undefined && options.only.length > 0
  const silentTargets = isSelection || signal?.aborted === true ? undefined : await runSilentTargets()
  const failingWithout = [...baseline.values()].filter(({ verdict }) => !SOUND.has(verdict))
  const withoutMutant = checksWithoutMutant(source.table)
  return {
    schemaVersion: 1,
    kind: 'prove',
    tool: { name: 'touchstone', version: toolVersion },
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    verdict: verdictOf({ failingWithout, withoutMutant, entries, silentTargets: silentTargets ?? [], signal }),
    full,
    selection: isSelection ? { only: options.only ?? [] } : null,
    failingWithout: failingWithout.map(({ id, verdict, actual }) => ({ check: id, said: `${verdict}: ${actual}` })),
    withoutDefect: withoutMutant,
    defects: entries,
    ...(silentTargets === undefined ? {} : { silentTargets }),
    checks: CHECKS.map(({ id }) => ({
      id,
      caught: entries.filter(({ kills }) => kills.includes(id)).map(({ defect }) => defect),
    })),
  }
}

/** Returns the checks that none of these mutants is meant for. */
export function checksWithoutMutant(mutants: readonly Mutant[]): string[] {
  const meant = new Set(mutants.flatMap(({ kills }) => Object.keys(kills)))
  return CHECKS.map(({ id }) => id).filter((id) => !meant.has(id))
}

const SOUND: ReadonlySet<string> = new Set(['pass', 'observed'])

function chosen(table: readonly Mutant[], only: readonly string[]): readonly Mutant[] {
  const unknown = only.find((id) => table.every((mutant) => mutant.id !== id))
  if (unknown !== undefined) {
    const example = table[0]?.id ?? ''
    throw new InvalidOptionError({ reason: 'unknown-mutant', value: unknown, example })
  }
  return only.length === 0 ? table : table.filter(({ id }) => only.includes(id))
}

interface Proof {
  /** Results of the checks without a mutant; empty if the proof was aborted before. */
  readonly baseline: CheckResults
  /** In the order of the mutants. */
  readonly entries: readonly DefectEntry[]
}

/** One run. The run without a mutant is the baseline for all others. */
interface Run {
  readonly mutant?: Mutant
  readonly only: readonly string[]
}

/** Makes all runs, in parallel up to the capacity of the team. Runs with a burst wait longest, so they start first. */
async function runAll(
  team: WorkerPool,
  mutants: readonly Mutant[],
  { only = [], full, signal, onProgress }: ProveOptions,
): Promise<Proof> {
  const bursts = mutants.filter(hasBurst)
  const inTurn = [...bursts, ...mutants.filter((mutant) => !bursts.includes(mutant))]
  // A few mutants do not need the whole suite as their baseline.
  const isWhole = only.length === 0 || full === true
  const queue: Run[] = [
    { only: isWhole ? [] : [...new Set(mutants.flatMap(checksConcerned))] },
    ...inTurn.map((mutant) => ({ mutant, only: full === true ? [] : checksConcerned(mutant) })),
  ]
  const found = new Map<Mutant | undefined, CheckResults>()
  const isAborted = (): boolean => signal?.aborted === true
  const runNext = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !isAborted(); next = queue.shift()) {
      const { mutant, only: checks } = next
      const results = await team.run({ ...(mutant === undefined ? {} : { mutant: mutant.id }), only: checks })
      found.set(mutant, new Map(results.map((result: CheckResult) => [result.id, result])))
      if (mutant !== undefined) onProgress?.({ done: found.size - Number(found.has(undefined)), total: mutants.length })
    }
  }
  signal?.addEventListener('abort', () => void team.close(), { once: true })
  await Promise.all(Array.from({ length: team.concurrency }, runNext)).catch((error: unknown) => {
    // Aborting ends the threads and the runs in progress.
    if (!isAborted()) throw error
  })
  const baseline = found.get(undefined)
  return baseline === undefined
    ? { baseline: new Map(), entries: [] }
    : { baseline, entries: mutants.flatMap((mutant) => entryOf(mutant, found.get(mutant), baseline)) }
}

function entryOf(mutant: Mutant, found: CheckResults | undefined, baseline: CheckResults): DefectEntry[] {
  if (found === undefined) return []
  return [{ defect: mutant.id, breaks: mutant.breaks, ...evaluateMutant(mutant, found, baseline) }]
}

/** Maximum requests of an additional check: more expensive ones run only if a mutant names them. */
const MAX_REQUESTS = 12

/** Checks that take long, whatever they cost. */
const SLOW_CHECKS: ReadonlySet<string> = new Set([streamProgress.id])

/**
 * Selects the checks that a mutant names, and all others of the same operations except bursts, slow and expensive ones.
 * Checks of all responses find what other checks find too, and run only if a mutant names them.
 */
function checksConcerned({ kills, mayAffect = [] }: Mutant): string[] {
  const named = new Set([...Object.keys(kills), ...mayAffect])
  const operations = new Set(CHECKS.filter(({ id }) => named.has(id)).map(({ operation }) => operation))
  const isQuick = (check: AnyCheck): boolean =>
    !isSummaryCheck(check) &&
    !SLOW_CHECKS.has(check.id) &&
    check.cost.requests <= MAX_REQUESTS &&
    !check.needs.includes('burst')
  return CHECKS.filter(
    (check) => named.has(check.id) || (operations.has(check.operation) && check.group === undefined && isQuick(check)),
  ).map(({ id }) => id)
}

function hasBurst({ kills }: Mutant): boolean {
  return CHECKS.some(({ id, needs }) => Object.hasOwn(kills, id) && needs.includes('burst'))
}

interface Outcome {
  readonly failingWithout: readonly CheckResult[]
  readonly withoutMutant: readonly string[]
  readonly entries: readonly DefectEntry[]
  readonly silentTargets: readonly SilentTargetEntry[]
  readonly signal: AbortSignal | undefined
}

function verdictOf({ failingWithout, withoutMutant, entries, silentTargets, signal }: Outcome): ProveVerdict {
  if (signal?.aborted === true) return 'interrupted'
  if (failingWithout.some(({ verdict }) => verdict === 'error')) return 'harness-error'
  const hasShortfall = entries.some(({ shortfalls }) => shortfalls.length > 0)
  const passesWithoutEvidence = silentTargets.some(
    ({ unexpected, outdated }) => unexpected.length + outdated.length > 0,
  )
  const isSound = failingWithout.length + withoutMutant.length === 0 && !passesWithoutEvidence
  return isSound && !hasShortfall ? 'proven' : 'not-proven'
}
