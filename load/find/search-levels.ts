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

export interface SearchStep<Run> {
  readonly level: number
  readonly runs: readonly Run[]
  /** Evaluation of each run. */
  readonly evaluations: readonly (Evaluation & { readonly kind: RunKind })[]
  /** Outcome of all runs together. */
  readonly outcome: StepOutcome
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
  /** Runs that show that `bounds.from` holds: those at this level, or also those at the next higher levels. */
  readonly evidence: readonly Run[]
}

/** Maximum number of runs at one level: with any outcome, with enough samples, and without a valid measurement. */
const MAX_RUNS = 6
const MAX_PROOFS = 2
const MAX_INVALID_RUNS = 2
/** Minimum number of runs above the result that break a budget or seem to. Fewer may be disturbances. */
const MIN_BAD_RUNS = 3
/** Maximum number of runs after the first that breaks a budget. On a busy machine, more runs would not converge. */
const MAX_NARROWING_RUNS = 12
/** Maximum number of runs after those, which confirm the bounds. */
const MAX_LAST_RUNS = 3

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
 * determine the range: the search takes the level that contradicts the fewest runs, as in an isotonic regression of
 * outcomes (Barlow et al., Statistical Inference under Order Restrictions, 1972). A level that holds outweighs lower
 * levels that do not, and the lowest level that breaks a budget has a second run, after another level.
 *
 * If the runs contradict each other too often, the search ends with a wider range. Its lower end may then follow from
 * the runs at several levels together, because a level holds if it and higher levels together do.
 * @param run measures a level, or returns the reason to end the search
 * @param evaluate evaluates runs at one level together
 */
export async function searchLevels<Run extends object, End extends string>(
  settings: SearchSettings,
  {
    run,
    evaluate,
  }: {
    run(level: number, kind: RunKind, bounds: LevelBounds): Promise<Run | { readonly end: End }>
    evaluate(runs: readonly Run[]): Evaluation
  },
): Promise<SearchResult<Run, End>> {
  let steps: readonly SearchStep<Run>[] = []
  let last: number | undefined
  let narrowing = 0
  const finish = (end: SearchEnd | End): SearchResult<Run, End> => {
    const evidence = findEvidence(steps, evaluate)
    return { steps, end, bounds: findBounds(steps, evidence?.from), evidence: evidence?.runs ?? [] }
  }
  for (;;) {
    const late = narrowing - MAX_NARROWING_RUNS
    const next = late < 0 ? chooseRun(steps, settings, last) : late < MAX_LAST_RUNS ? chooseLastRun(steps) : 'uncertain'
    if (typeof next === 'string') return finish(next)
    const { level, kind } = next
    const measured = await run(level, kind, findBounds(steps))
    if ('end' in measured) return finish(measured.end)
    const before = steps.find((step) => step.level === level)
    const runs = [...(before?.runs ?? []), measured]
    const evaluation = { ...evaluate([measured]), kind }
    const evaluations = [...(before?.evaluations ?? []), evaluation]
    const step = { level, runs, evaluations, outcome: combine(evaluate(runs).outcome, evaluations) }
    steps = [...steps.filter((other) => other !== before), step].toSorted((a, b) => a.level - b.level)
    last = level
    if (narrowing > 0 || findRange(steps).upper !== undefined) narrowing += 1
  }
}

/**
 * Returns the outcome of a level. It holds if all runs together hold, or if more proofs hold on their own than break a
 * budget. With two such proofs, the probability of a wrong decision is at most twice that of one.
 */
function combine(together: StepOutcome, evaluations: SearchStep<unknown>['evaluations']): StepOutcome {
  const count = (wanted: StepOutcome) =>
    evaluations.filter(({ outcome, kind }) => kind === 'proof' && outcome === wanted).length
  if (count('holds') > count('broken')) return 'holds'
  return together === 'holds' && count('broken') > 0 ? 'uncertain' : together
}

/**
 * Finds the highest level that holds by the runs at this level, and if there is none, by the runs at this and the next
 * higher levels.
 */
function findEvidence<Run>(
  steps: readonly SearchStep<Run>[],
  evaluate: (runs: readonly Run[]) => Evaluation,
): { from: number; runs: readonly Run[] } | undefined {
  const own = steps.findLast(isProven)
  for (const [index, { level }] of [...steps.entries()].toReversed()) {
    if (level <= (own?.level ?? 0)) break
    for (let end = index + 2; end <= steps.length; end += 1) {
      const runs = steps.slice(index, end).flatMap((step) => step.runs)
      if (evaluate(runs).outcome === 'holds') return { from: level, runs }
    }
  }
  return own === undefined ? undefined : { from: own.level, runs: own.runs }
}

/**
 * Finds the bounds of the capacity: the highest level that holds, and the lowest level at or below which two runs broke a
 * budget, apart from levels below one that seems to hold.
 */
export function findBounds(steps: readonly SearchStep<unknown>[], from = findHolding(steps)): LevelBounds {
  const { lower } = findRange(steps)
  return { from, to: findUpperBound(steps, Math.max(from ?? 0, lower?.level ?? 0)) }
}

/** Finds the lowest level at or below which, but above `from`, a run broke a budget and another one at least seemed to. */
function findUpperBound(steps: readonly SearchStep<unknown>[], from: number): number | undefined {
  const second = listRuns(steps, from, isBad)[1]
  const broken = steps.find((step) => step.level > from && isBrokenLevel(step))?.level
  return second === undefined || broken === undefined ? undefined : Math.max(second, broken)
}

/** Returns whether a run broke a budget, or several runs together. */
function isBrokenLevel({ outcome, evaluations }: SearchStep<unknown>): boolean {
  return outcome === 'broken' || evaluations.some(isBroken)
}

function findHolding(steps: readonly SearchStep<unknown>[]): number | undefined {
  return steps.findLast(isProven)?.level
}

/** Returns whether a level holds in a run that is long enough. In a short one, a growing queue may still be short. */
function isProven({ outcome, evaluations }: SearchStep<unknown>): boolean {
  return outcome === 'holds' && evaluations.some(({ kind }) => kind === 'proof')
}

/** Returns the level of each run above a level that has an evaluation of some kind, in ascending order. */
function listRuns(
  steps: readonly SearchStep<unknown>[],
  from: number,
  is: (evaluation: Evaluation) => boolean,
): number[] {
  return steps.flatMap(({ level, evaluations }) => (level > from ? evaluations.filter(is).map(() => level) : []))
}

function chooseRun(
  steps: readonly SearchStep<unknown>[],
  settings: SearchSettings,
  last: number | undefined,
): { level: number; kind: RunKind } | SearchEnd {
  const { firstLevel, maxLevel } = settings
  const probe = (level: number) => ({ level, kind: 'probe' }) as const
  const invalid = steps.find(({ level, outcome }) => level === last && outcome === 'generator')
  if (invalid !== undefined && !isBlocked(invalid)) return probe(invalid.level)
  const { lower, upper } = findRange(steps)
  if (upper === undefined) {
    if (lower === undefined) return probe(firstLevel)
    if (lower.level < maxLevel) return probe(Math.min(maxLevel, roundLevel(2 * lower.level, settings)))
    return isProven(lower) ? 'max-level' : { level: lower.level, kind: 'proof' }
  }
  const middle = halve(lower?.level, upper.level, settings)
  const isConfirmed = isBlocked(upper) || upper.evaluations.filter(isBad).length > 1
  if (!isConfirmed && (middle === undefined || (last === lower?.level && last !== undefined))) return probe(upper.level)
  if (middle !== undefined) return probe(middle)
  if (lower !== undefined && !isProven(lower)) return { level: lower.level, kind: 'proof' }
  const isGenerator = isBlocked(upper) && upper.outcome === 'generator'
  if (lower !== undefined && !isGenerator && listRuns(steps, lower.level, isBad).length < MIN_BAD_RUNS) {
    const above = Math.min(maxLevel, roundLevel(2 * lower.level, settings))
    if (!steps.some((step) => step.level === above && isBlocked(step))) return probe(above)
  }
  if (isGenerator) return 'generator'
  if (isBlocked(upper)) return 'uncertain'
  return lower === undefined ? 'no-level' : 'resolution'
}

/**
 * Chooses a run that may confirm an end of the range, without a search for a smaller range. Proves the highest level that
 * seems to hold and has no proof yet.
 */
function chooseLastRun(steps: readonly SearchStep<unknown>[]): { level: number; kind: RunKind } | SearchEnd {
  const { lower, upper } = findRange(steps)
  const from = findHolding(steps) ?? 0
  const candidate = steps.findLast(
    (step) =>
      step.level > from &&
      step.level <= (lower?.level ?? 0) &&
      step.evaluations.every((evaluation) => evaluation.kind === 'probe' && !isBad(evaluation)),
  )
  if (candidate !== undefined) return { level: candidate.level, kind: 'proof' }
  const isOpen = upper !== undefined && !isBlocked(upper) && findUpperBound(steps, lower?.level ?? 0) === undefined
  return isOpen ? { level: upper.level, kind: 'probe' } : 'uncertain'
}

/** Finds the highest level that seems to hold, and the next level, which does not or was not decided. */
function findRange<Run>(steps: readonly SearchStep<Run>[]): {
  readonly lower: SearchStep<Run> | undefined
  readonly upper: SearchStep<Run> | undefined
} {
  const from = findHolding(steps) ?? 0
  const open = steps.filter((step) => step.level > from && !isBlocked(step))
  // The number of votes that a boundary below each of the open steps contradicts. The higher of two equal ones wins,
  // because disturbances only make a target slower.
  const costs = Array.from({ length: open.length + 1 }, (_, boundary) =>
    open.reduce((sum, step, index) => sum + countVotes(step, index < boundary), 0),
  )
  const boundary = costs.lastIndexOf(Math.min(...costs))
  const lower = open[boundary - 1] ?? steps.find(({ level }) => level === from)
  const upper = steps.find(
    (step) => step.level > (lower?.level ?? 0) && (isBlocked(step) || open.indexOf(step) >= boundary),
  )
  return { lower, upper }
}

/** Counts the votes that contradict a level that holds, or one that does not. */
function countVotes({ evaluations }: SearchStep<unknown>, isHeld: boolean): number {
  return evaluations
    .filter((evaluation) => evaluation.outcome !== 'generator' && isBad(evaluation) === isHeld)
    .reduce((sum, { kind }) => sum + VOTES[kind][isHeld ? 'bad' : 'good'], 0)
}

function isBad({ outcome, isWithin }: Evaluation): boolean {
  return outcome === 'broken' || (outcome === 'uncertain' && !isWithin)
}

function isBroken({ outcome }: Evaluation): boolean {
  return outcome === 'broken'
}

/** Returns whether further runs at a level are unlikely to decide whether it holds. */
function isBlocked({ evaluations, outcome }: SearchStep<unknown>): boolean {
  if (outcome === 'holds') return false
  const count = (is: (evaluation: SearchStep<unknown>['evaluations'][number]) => boolean) =>
    evaluations.filter(is).length
  return (
    evaluations.length >= MAX_RUNS ||
    // A disturbance may have broken a proof. An undecided proof shows that the level is close to the capacity.
    count(({ kind, outcome: own }) => kind === 'proof' && own === 'uncertain') > 0 ||
    count(({ kind }) => kind === 'proof') >= MAX_PROOFS + count((evaluation) => evaluation.outcome === 'holds') ||
    count((evaluation) => evaluation.outcome === 'generator') >= MAX_INVALID_RUNS
  )
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
