import type { DefectEntry, ProveDocument, ProveVerdict } from '../../reports/prove-document.ts'
import { CHECKS } from '../checks/all.ts'
import { loadSdk } from '../checks/sdk/load-sdk.ts'
import { InvalidOptionError } from '../invalid-option-error.ts'
import type { Defect } from './defect.ts'
import { DEFECTS } from './defects/all.ts'
import type { Finding } from './finding.ts'
import { type Findings, judgeDefect } from './judge-defect.ts'
import { startTeam, type Team } from './threads/team.ts'

export { DEFECTS, InvalidOptionError }
export type { Defect }

/** Everything is optional. */
export interface ProveOptions {
  /** Ids of defects. Default: all. */
  readonly only?: readonly string[]
  /** Runs the whole suite against each defect, not only the checks of the operations concerned. */
  readonly full?: boolean
  /** Other defects than the own ones. */
  readonly source?: DefectSource
  /** Version of the tool, for the document. */
  readonly toolVersion?: string
  /** Ends the proof early: the document then holds what was found until then. */
  readonly signal?: AbortSignal
  /** Called after each defect. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void
}

/** A table of defects, and the program of a thread that has the same table (`threads/answer-tasks.ts`). */
export interface DefectSource {
  readonly table: readonly Defect[]
  readonly program: URL
}

const OWN_SOURCE: DefectSource = { table: DEFECTS, program: new URL('./threads/own-table.ts', import.meta.url) }

/**
 * Runs the suite without a defect and against each one, and says which checks caught it.
 * @throws InvalidOptionError when `only` names no defect, or a package is missing; Error when a run could not be made
 */
export async function prove(options: ProveOptions = {}): Promise<ProveDocument> {
  const { full = false, signal, source = OWN_SOURCE, toolVersion = '0.0.0' } = options
  const startedAt = new Date()
  const defects = chosen(source.table, options.only ?? [])
  // Some checks are the SDK's: without it each run of each thread would fail.
  await loadSdk(undefined)
  const team = startTeam(source.program)
  const { baseline, entries } = await judgeAll(team, defects, options).finally(() => team.close())
  const failingWithout = [...baseline.values()].filter(({ verdict }) => !SOUND.has(verdict))
  const withoutDefect = checksWithoutDefect(source.table)
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
    throw new InvalidOptionError({ reason: 'unknown-mutant', value: unknown, example })
  }
  return only.length === 0 ? table : table.filter(({ id }) => only.includes(id))
}

interface Proof {
  /** What the checks say without a defect; empty when the proof was interrupted before they had. */
  readonly baseline: Findings
  /** In the order of the defects. */
  readonly entries: readonly DefectEntry[]
}

/** A run to make; without a defect it is the one that all others are compared with. */
interface Run {
  readonly defect?: Defect
  readonly only: readonly string[]
}

/** Makes all runs, as many at a time as the team has places. Those with a burst wait the longest, and so come first. */
async function judgeAll(
  team: Team,
  defects: readonly Defect[],
  { full, signal, onProgress }: ProveOptions,
): Promise<Proof> {
  const bursts = defects.filter(hasBurst)
  const inTurn = [...bursts, ...defects.filter((defect) => !bursts.includes(defect))]
  const queue: Run[] = [
    { only: [] },
    ...inTurn.map((defect) => ({ defect, only: full === true ? [] : checksConcerned(defect) })),
  ]
  const found = new Map<Defect | undefined, Findings>()
  const isAborted = (): boolean => signal?.aborted === true
  const runNext = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !isAborted(); next = queue.shift()) {
      const { defect, only } = next
      const findings = await team.run({ ...(defect === undefined ? {} : { defect: defect.id }), only })
      found.set(defect, new Map(findings.map((finding: Finding) => [finding.id, finding])))
      if (defect !== undefined) onProgress?.({ done: found.size - Number(found.has(undefined)), total: defects.length })
    }
  }
  signal?.addEventListener('abort', () => void team.close(), { once: true })
  await Promise.all(Array.from({ length: team.places }, runNext)).catch((error: unknown) => {
    // Whoever interrupts ends the threads, and what they were at with them.
    if (!isAborted()) throw error
  })
  const baseline = found.get(undefined)
  return baseline === undefined
    ? { baseline: new Map(), entries: [] }
    : { baseline, entries: defects.flatMap((defect) => entryOf(defect, found.get(defect), baseline)) }
}

function entryOf(defect: Defect, found: Findings | undefined, baseline: Findings): DefectEntry[] {
  if (found === undefined) return []
  return [{ defect: defect.id, breaks: defect.breaks, ...judgeDefect(defect, found, baseline) }]
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

interface Outcome {
  readonly failingWithout: readonly Finding[]
  readonly withoutDefect: readonly string[]
  readonly entries: readonly DefectEntry[]
  readonly signal: AbortSignal | undefined
}

function verdictOf({ failingWithout, withoutDefect, entries, signal }: Outcome): ProveVerdict {
  if (signal?.aborted === true) return 'interrupted'
  if (failingWithout.some(({ verdict }) => verdict === 'error')) return 'harness-error'
  const hasShortfall = entries.some(({ shortfalls }) => shortfalls.length > 0)
  return failingWithout.length + withoutDefect.length === 0 && !hasShortfall ? 'proven' : 'not-proven'
}
