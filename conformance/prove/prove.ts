import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { DefectEntry, ProveDocument, ProveVerdict } from '../../reports/prove-document.ts'
import { CHECKS } from '../checks/all.ts'
import { UsageError } from '../targets/usage-error.ts'
import type { Defect } from './defect.ts'
import { DEFECTS } from './defects/all.ts'
import { judgeDefect } from './judge-defect.ts'
import { judgeTarget } from './judge-target.ts'

export { DEFECTS, UsageError }
export type { Defect }

/** Everything is optional. */
export interface ProveOptions {
  /** Ids of defects. Default: all. */
  readonly only?: readonly string[]
  /** Runs the whole suite against each defect, not only the checks of the operations concerned. */
  readonly full?: boolean
  /** Another table of defects than the own one. */
  readonly table?: readonly Defect[]
  /** Version of the tool, for the document. */
  readonly toolVersion?: string
  /** Ends the proof early: the document then holds what was found until then. */
  readonly signal?: AbortSignal
  /** Called after each defect. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

/** Runs at a time: while one waits for a rate limit to pass, others go on. */
const CONCURRENCY = 2

/**
 * Runs the suite without a defect and against each one, and says which checks caught it.
 * @throws UsageError when `only` names no defect
 */
export async function prove(options: ProveOptions = {}): Promise<ProveDocument> {
  const { full = false, signal, table = DEFECTS, toolVersion = '0.0.0' } = options
  const startedAt = new Date()
  const defects = chosen(table, options.only ?? [])
  const baseline = await judgeTarget(undefined, [], signal)
  const entries = await judgeAll(defects, { baseline, full, options })
  const failingWithout = [...baseline.values()].filter(({ verdict }) => !SOUND.has(verdict))
  const withoutDefect = checksWithoutDefect(table)
  return {
    schemaVersion: 1,
    kind: 'prove',
    tool: { name: 'touchstone', version: toolVersion },
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    verdict: verdictOf({ failingWithout, withoutDefect, entries, signal }),
    full,
    selection: options.only === undefined || options.only.length === 0 ? null : { only: options.only },
    failingWithout: failingWithout.map(({ id, verdict, actual }) => ({ check: id, said: `${verdict}: ${actual}` })),
    withoutDefect,
    defects: entries,
    checks: CHECKS.map(({ id }) => ({
      id,
      caught: entries.filter(({ kills }) => kills.includes(id)).map(({ defect }) => defect),
    })),
  }
}

/** The checks that none of these defects is meant for. */
export function checksWithoutDefect(defects: readonly Defect[]): string[] {
  const meant = new Set(defects.flatMap(({ kills }) => Object.keys(kills)))
  return CHECKS.map(({ id }) => id).filter((id) => !meant.has(id))
}

const SOUND: ReadonlySet<string> = new Set(['pass', 'observed'])

function chosen(table: readonly Defect[], only: readonly string[]): readonly Defect[] {
  const unknown = only.find((id) => table.every((defect) => defect.id !== id))
  if (unknown !== undefined) {
    const example = table[0]?.id ?? ''
    throw new UsageError(`No defect has the id "${unknown}": --list shows all ids, e.g. --only ${example}.`)
  }
  return only.length === 0 ? table : table.filter(({ id }) => only.includes(id))
}

interface Proof {
  readonly baseline: ReadonlyMap<string, CheckEntry>
  readonly full: boolean
  readonly options: ProveOptions
}

/** The entries in the order of the defects. Those with a burst wait the longest, and so come first. */
async function judgeAll(
  defects: readonly Defect[],
  { baseline, full, options: { signal, onProgress } }: Proof,
): Promise<DefectEntry[]> {
  const queue = defects.toSorted((a, b) => Number(hasBurst(b)) - Number(hasBurst(a)))
  const entries = new Map<Defect, DefectEntry>()
  const isAborted = (): boolean => signal?.aborted === true
  const judgeNext = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !isAborted(); next = queue.shift()) {
      const found = await judgeTarget(next, full ? [] : checksConcerned(next), signal)
      if (isAborted()) return
      entries.set(next, { defect: next.id, breaks: next.breaks, ...judgeDefect(next, found, baseline) })
      onProgress?.({ done: entries.size, total: defects.length })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, judgeNext))
  return defects.flatMap((defect) => entries.get(defect) ?? [])
}

/** Most requests of a check that runs beside those a defect names. */
const MOST_REQUESTS = 12

/** The checks that a defect names, and all others of the same operations, but for bursts and what else takes long. */
function checksConcerned({ kills, mayTouch = [] }: Defect): string[] {
  const named = new Set([...Object.keys(kills), ...mayTouch])
  const operations = new Set(CHECKS.filter(({ id }) => named.has(id)).map(({ operation }) => operation))
  return CHECKS.filter(
    ({ id, operation, needs, cost, group }) =>
      named.has(id) ||
      (operations.has(operation) && group === undefined && !needs.includes('burst') && cost.requests <= MOST_REQUESTS),
  ).map(({ id }) => id)
}

function hasBurst({ kills }: Defect): boolean {
  return CHECKS.some(({ id, needs }) => Object.hasOwn(kills, id) && needs.includes('burst'))
}

interface Findings {
  readonly failingWithout: readonly CheckEntry[]
  readonly withoutDefect: readonly string[]
  readonly entries: readonly DefectEntry[]
  readonly signal: AbortSignal | undefined
}

function verdictOf({ failingWithout, withoutDefect, entries, signal }: Findings): ProveVerdict {
  if (signal?.aborted === true) return 'interrupted'
  if (failingWithout.some(({ verdict }) => verdict === 'error')) return 'harness-error'
  const hasShortfall = entries.some(({ shortfalls }) => shortfalls.length > 0)
  return failingWithout.length + withoutDefect.length === 0 && !hasShortfall ? 'proven' : 'not-proven'
}
