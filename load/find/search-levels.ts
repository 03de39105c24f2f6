/** Settings of a search for the highest level of load at which budgets hold. */
export interface SearchSettings {
  readonly firstLevel: number
  readonly maxLevel: number
  readonly minLevel: number
  /** Whether levels are whole numbers, such as numbers of streams. */
  readonly isWhole: boolean
  /** Relative distance between the two ends of the result at which the search ends. */
  readonly resolution: number
}

/**
 * Outcome of one or more runs. `uncertain`: the samples allow no confident decision. `generator`: the load generator
 * itself was too slow or too inaccurate.
 */
export type StepOutcome = 'holds' | 'broken' | 'uncertain' | 'generator'

export interface Evaluation {
  readonly outcome: StepOutcome
  /** Whether all measured values are within their budgets, with or without confidence. */
  readonly isWithin: boolean
}

/** `probe`: a short run, which chooses the next level. `proof`: a run with enough samples for a confident decision. */
export type RunKind = 'probe' | 'proof'

export interface EvaluatedRun<Run> extends Evaluation {
  readonly kind: RunKind
  readonly run: Run
}

/** All runs at one level. */
export interface SearchStep<Run> {
  readonly level: number
  readonly runs: readonly EvaluatedRun<Run>[]
}

/** The capacity lies between these levels. An end is undefined if it is unknown. */
export interface LevelBounds {
  readonly from: number | undefined
  readonly to: number | undefined
}

/**
 * Reasons for which the search algorithm ends. `uncertain`: further runs at the levels between both ends would not
 * decide. `run` may return further reasons.
 */
export type SearchEnd = 'resolution' | 'max-level' | 'no-level' | 'uncertain' | 'generator'

export interface SearchResult<Run, End> {
  /** Steps in ascending order of their levels. */
  readonly steps: readonly SearchStep<Run>[]
  readonly end: SearchEnd | End
  readonly bounds: LevelBounds
}

type Steps = readonly SearchStep<unknown>[]
type NextRun = { readonly level: number; readonly kind: RunKind }

/** Maximum number of runs at one level: with any outcome, with enough samples, and without a valid measurement. */
const MAX_RUNS = 6
const MAX_PROOFS = 2
const MAX_INVALID_RUNS = 2
/** Minimum number of runs above the result that break a budget or seem to. Fewer may be disturbances. */
const MIN_BAD_RUNS = 3
/**
 * Maximum number of runs after the first that breaks a budget: those that narrow the range, and all. On a busy machine,
 * more runs would not converge. The last ones confirm both ends of the range.
 */
const MAX_NARROWING_RUNS = 12
const MAX_LATER_RUNS = 18

/**
 * Votes of one run in the fit of a monotone curve. A target that cannot hold a level rarely seems to, but a disturbance
 * can make any short run slow.
 */
const VOTES = { probe: { good: 3, bad: 1 }, proof: { good: 6, bad: 4 } } as const satisfies Record<RunKind, object>

/**
 * Searches for the highest level that holds. Short runs double the level until a budget breaks, and then halve the
 * range. Longer runs at the highest level that seems to hold prove that it does.
 *
 * A higher load does not make a target faster, but a disturbance can make one run slower. Therefore, all runs together
 * determine the range (`findRange`), and the lowest level that breaks a budget has a second run.
 * If the runs contradict each other too often, the search ends with a wider range.
 * @param run measures and evaluates a level, or returns the reason to end the search
 */
export async function searchLevels<Run extends object, End extends string>(
  settings: SearchSettings,
  run: (level: number, kind: RunKind) => Promise<(Evaluation & { readonly run: Run }) | { readonly end: End }>,
): Promise<SearchResult<Run, End>> {
  let steps: readonly SearchStep<Run>[] = []
  let last: number | undefined
  let laterRuns = 0
  for (;;) {
    const next = laterRuns < MAX_LATER_RUNS ? chooseRun(steps, settings, { last, laterRuns }) : 'uncertain'
    if (typeof next === 'string') return { steps, end: next, bounds: findBounds(steps) }
    const { level, kind } = next
    const measured = await run(level, kind)
    if ('end' in measured) return { steps, end: measured.end, bounds: findBounds(steps) }
    const before = steps.find((step) => step.level === level)
    const step = { level, runs: [...(before?.runs ?? []), { ...measured, kind }] }
    steps = [...steps.filter((other) => other !== before), step].toSorted((a, b) => a.level - b.level)
    last = level
    if (laterRuns > 0 || findRange(steps).upper !== undefined) laterRuns += 1
  }
}

/** Chooses the next run, or returns why the search ends. */
function chooseRun(
  steps: Steps,
  settings: SearchSettings,
  { last, laterRuns }: { readonly last: number | undefined; readonly laterRuns: number },
): NextRun | SearchEnd {
  const { firstLevel, maxLevel } = settings
  const probe = (level: number): NextRun => ({ level, kind: 'probe' })
  const { lower, upper } = findRange(steps)
  const double = Math.min(maxLevel, roundLevel(2 * (lower?.level ?? 0), settings))

  // A generator that was too slow once may be fast enough in a second run.
  const latest = steps.find(({ level }) => level === last)
  if (latest !== undefined && isInvalid(latest) && !isClosed(latest)) return probe(latest.level)

  // No budget is broken yet: double the level.
  if (upper === undefined) {
    if (lower === undefined) return probe(firstLevel)
    if (lower.level < maxLevel) return probe(double)
    return isProven(lower) ? 'max-level' : { level: lower.level, kind: 'proof' }
  }

  // Halve the range. The upper end has a second run, after one at the lower end or at the latest when the range is small.
  const middle = halve(lower?.level, upper.level, settings)
  const nextLevel = laterRuns < MAX_NARROWING_RUNS ? middle : undefined
  const isConfirmed = isClosed(upper) || countRuns(upper, isBad) > 1
  const isAfterOther = lower !== undefined && last === lower.level
  if (!isConfirmed && (nextLevel === undefined || isAfterOther)) return probe(upper.level)
  if (nextLevel !== undefined) return probe(nextLevel)

  // Prove the lower end, and confirm that the load above it is too high.
  if (lower !== undefined && !isProven(lower)) return { level: lower.level, kind: 'proof' }
  const isGenerator = isClosed(upper) && isInvalid(upper)
  const isDoubleClosed = steps.some((step) => step.level === double && isClosed(step))
  const hasFewBad = lower !== undefined && listLevels(steps, lower.level, isBad).length < MIN_BAD_RUNS
  if (hasFewBad && !isGenerator && !isDoubleClosed) return probe(double)
  if (isGenerator) return 'generator'
  if (isClosed(upper) || middle !== undefined) return 'uncertain'
  return lower === undefined ? 'no-level' : 'resolution'
}

/**
 * Finds the highest level that seems to hold, and the next level, which does not or was not decided. Takes the boundary
 * that contradicts the fewest runs, as in an isotonic regression of outcomes (Barlow et al., Statistical Inference under
 * Order Restrictions, 1972). A proven level outweighs lower levels that do not seem to hold.
 */
function findRange<Run>(steps: readonly SearchStep<Run>[]): {
  readonly lower: SearchStep<Run> | undefined
  readonly upper: SearchStep<Run> | undefined
} {
  const proven = steps.findLast(isProven)
  const open = steps.filter((step) => step.level > (proven?.level ?? 0) && !isClosed(step))
  const costs = Array.from({ length: open.length + 1 }, (_, boundary) =>
    open.reduce((sum, step, index) => sum + countContradictions(step, index < boundary), 0),
  )
  // The higher of two equal boundaries wins, because disturbances only make a target slower.
  const boundary = costs.lastIndexOf(Math.min(...costs))
  const lower = open[boundary - 1] ?? proven
  const isAbove = (step: SearchStep<Run>) => step.level > (lower?.level ?? 0)
  return { lower, upper: steps.find((step) => isAbove(step) && (isClosed(step) || open.indexOf(step) >= boundary)) }
}

/** Counts the votes that contradict a level that holds, or one that does not. */
function countContradictions({ runs }: SearchStep<unknown>, isHeld: boolean): number {
  return runs
    .filter((run) => run.outcome !== 'generator' && isBad(run) === isHeld)
    .reduce((sum, { kind }) => sum + VOTES[kind][isHeld ? 'bad' : 'good'], 0)
}

/**
 * Finds the bounds of the capacity: the highest proven level, and the lowest level above those that seem to hold, at or
 * below which a run broke a budget, and another one at least seemed to.
 */
function findBounds(steps: Steps): LevelBounds {
  const from = steps.findLast(isProven)?.level
  const above = Math.max(from ?? 0, findRange(steps).lower?.level ?? 0)
  const [broken] = listLevels(steps, above, ({ outcome }) => outcome === 'broken')
  const [, second] = listLevels(steps, above, isBad)
  return { from, to: broken === undefined || second === undefined ? undefined : Math.max(broken, second) }
}

/** Returns whether a level holds in runs with enough samples. In a short run, a growing queue may still be short. */
export function isProven({ runs }: SearchStep<unknown>): boolean {
  const count = (wanted: StepOutcome) =>
    runs.filter(({ kind, outcome }) => kind === 'proof' && outcome === wanted).length
  return count('holds') > count('broken')
}

/** Returns whether further runs at a level are unlikely to decide whether it holds. */
function isClosed(step: SearchStep<unknown>): boolean {
  if (isProven(step)) return false
  const proofs = step.runs.filter(({ kind }) => kind === 'proof')
  return (
    step.runs.length >= MAX_RUNS ||
    proofs.length >= MAX_PROOFS + countRuns(step, ({ outcome }) => outcome === 'holds') ||
    countRuns(step, ({ outcome }) => outcome === 'generator') >= MAX_INVALID_RUNS
  )
}

/** Returns whether no run at a level is valid. */
function isInvalid({ runs }: SearchStep<unknown>): boolean {
  return runs.every(({ outcome }) => outcome === 'generator')
}

function isBad({ outcome, isWithin }: Evaluation): boolean {
  return outcome === 'broken' || (outcome === 'uncertain' && !isWithin)
}

function countRuns({ runs }: SearchStep<unknown>, is: (run: Evaluation) => boolean): number {
  return runs.filter(is).length
}

/** Returns the level of each run above a level that has an evaluation of some kind, in ascending order. */
function listLevels(steps: Steps, from: number, is: (run: Evaluation) => boolean): number[] {
  return steps.flatMap(({ level, runs }) => (level > from ? runs.filter(is).map(() => level) : []))
}

/** Returns a level in the middle of a range, or undefined if the range is small enough. */
function halve(lower: number | undefined, upper: number, settings: SearchSettings): number | undefined {
  if (lower === undefined) {
    const half = roundLevel(upper / 2, settings)
    return half < settings.minLevel || half >= upper ? undefined : half
  }
  const middle = roundLevel(Math.sqrt(lower * upper), settings)
  // The geometric mean of 2 and 4 streams, rounded down, is 2.
  const next = settings.isWhole ? Math.max(middle, lower + 1) : middle
  return upper <= lower * (1 + settings.resolution) || next <= lower || next >= upper ? undefined : next
}

function roundLevel(level: number, { isWhole }: SearchSettings): number {
  return isWhole ? Math.floor(level) : Number(level.toPrecision(3))
}
