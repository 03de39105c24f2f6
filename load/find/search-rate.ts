/** Settings of a search for the highest rate at which budgets hold. Rates are requests per second. */
export interface SearchSettings {
  readonly firstRate: number
  readonly maxRate: number
  /**
   * Relative distance between the highest rate that holds and the lowest rate that does not, at which the search ends.
   */
  readonly resolution: number
}

/**
 * Outcome of a step. `uncertain`: the samples allow no confident decision. `generator`: the load generator itself was
 * too slow or too inaccurate.
 */
export type StepOutcome = 'holds' | 'broken' | 'uncertain' | 'generator'

export interface SearchStep<Run> {
  readonly rate: number
  readonly runs: readonly Run[]
  readonly outcome: StepOutcome
}

/** The highest rate that holds, and the lowest rate that does not; undefined if there is none. */
export interface RateBounds {
  readonly holdsAt: number | undefined
  readonly brokenAt: number | undefined
}

/** Reasons for which the search algorithm ends. `run` may return further reasons. */
export type SearchEnd = 'resolution' | 'max-rate' | 'no-rate' | 'uncertain' | 'generator'

export interface SearchResult<Run, End> {
  /** Steps in the order of their first runs. */
  readonly steps: readonly SearchStep<Run>[]
  readonly end: SearchEnd | End
}

/** Maximum number of runs of a step without a confident decision, after which its outcome is `uncertain`. */
export const MAX_RUNS_PER_STEP = 4
/** Maximum number of runs of a step in which the generator is too slow, such as after a short stall of the machine. */
const MAX_INVALID_RUNS = 2
/** Lowest rate of a search, as a fraction of its first rate. */
export const MIN_RATE_FRACTION = 1 / 32

/**
 * Searches for the highest rate that holds. Doubles the rate until a step does not hold, then halves the range. Repeats
 * the runs of a step until its outcome is certain, or until it has {@link MAX_RUNS_PER_STEP} runs. Runs the lowest rate
 * that breaks a budget at least twice, because a single disturbance can break a budget.
 * @param run measures a rate, or returns the reason to end the search; `count` is the number of earlier runs at this
 * rate
 * @param evaluate evaluates all runs of a step together
 */
export async function searchRate<Run extends object, End extends string>(
  settings: SearchSettings,
  {
    run,
    evaluate,
  }: {
    run(rate: number, count: number, bounds: RateBounds): Promise<Run | { readonly end: End }>
    evaluate(runs: readonly Run[]): StepOutcome
  },
): Promise<SearchResult<Run, End>> {
  const steps: SearchStep<Run>[] = []
  for (;;) {
    const next = chooseRate(steps, settings)
    if (typeof next !== 'number') return { steps, end: next }
    const at = steps.findIndex(({ rate }) => rate === next)
    let step: SearchStep<Run> = steps[at] ?? { rate: next, runs: [], outcome: 'uncertain' }
    const place = at === -1 ? steps.length : at
    const bounds = findBounds(steps)
    do {
      const measured = await run(next, step.runs.length, bounds)
      if ('end' in measured) return { steps, end: measured.end }
      const runs = [...step.runs, measured]
      step = { rate: next, runs, outcome: evaluate(runs) }
      steps[place] = step
    } while (needsRun(step))
    if (step.outcome === 'generator') return { steps, end: 'generator' }
  }
}

function needsRun({ runs, outcome }: SearchStep<unknown>): boolean {
  if (outcome === 'uncertain') return runs.length < MAX_RUNS_PER_STEP
  return outcome === 'generator' && runs.length < MAX_INVALID_RUNS
}

function chooseRate(steps: readonly SearchStep<unknown>[], settings: SearchSettings): number | SearchEnd {
  const { firstRate, maxRate, resolution } = settings
  const { holdsAt, brokenAt } = findBounds(steps)
  if (brokenAt === undefined) {
    if (holdsAt === undefined) return Math.min(firstRate, maxRate)
    return holdsAt >= maxRate ? 'max-rate' : Math.min(roundRate(2 * holdsAt), maxRate)
  }
  const next = roundRate(holdsAt === undefined ? brokenAt / 2 : Math.sqrt(holdsAt * brokenAt))
  const isOver =
    holdsAt === undefined
      ? next < firstRate * MIN_RATE_FRACTION
      : brokenAt <= holdsAt * (1 + resolution) || next <= holdsAt || next >= brokenAt
  if (!isOver) return next
  const bound = steps.find(({ rate }) => rate === brokenAt)
  if (bound !== undefined && bound.runs.length === 1) return brokenAt
  if (holdsAt !== undefined) return 'resolution'
  return steps.some(({ outcome }) => outcome === 'broken') ? 'no-rate' : 'uncertain'
}

/** Finds the bounds among the measured rates. A rate holds only if no lower rate is broken or uncertain. */
export function findBounds(steps: readonly SearchStep<unknown>[]): RateBounds {
  const brokenAt = lowest(steps.filter(({ outcome }) => outcome === 'broken' || outcome === 'uncertain'))
  const holding = steps.filter(({ outcome, rate }) => outcome === 'holds' && rate < (brokenAt ?? Infinity))
  const holdsAt = holding.reduce<number | undefined>((most, { rate }) => Math.max(most ?? 0, rate), undefined)
  return { holdsAt, brokenAt }
}

function lowest(steps: readonly SearchStep<unknown>[]): number | undefined {
  return steps.reduce<number | undefined>((least, { rate }) => Math.min(least ?? Infinity, rate), undefined)
}

function roundRate(rate: number): number {
  return Number(rate.toPrecision(3))
}
