import { createSeededRandom } from './seeded-random.ts'
import type { LoadSettings, Stage } from './load-settings.ts'
import { type ArrivalTimes, parseTrace } from './parse-trace.ts'

export type { ArrivalTimes as Arrivals }

/** Tolerance for rounding errors where the integral of a rate should be a whole number. */
const ROUNDING = 1e-9

/**
 * Calculates all arrivals of a plan. The expected number of arrivals until a time is the integral of the rate. Constant
 * arrivals occur when the integral reaches a whole number. Poisson arrivals occur when it reaches the successive sums
 * of seeded exponential random values.
 * @param trace content of the file at `tracePath`, if the arrivals come from a trace
 * @throws Error with one sentence if the trace is invalid
 */
export function planArrivals(
  settings: Pick<LoadSettings, 'arrivals' | 'stages' | 'seed'>,
  trace: string | undefined,
): ArrivalTimes {
  switch (settings.arrivals) {
    case 'closed':
      return { atMs: [] }
    case 'constant':
      return { atMs: timesOf(settings.stages, (index) => index) }
    case 'poisson':
      return { atMs: timesOf(settings.stages, exponentialSums(settings.seed)) }
    case 'trace':
      return parseTrace(trace ?? '')
  }
}

/** Settings that determine the warm-up. */
export type WarmUpSettings = Pick<LoadSettings, 'arrivals' | 'stages' | 'warmUpS'>

/**
 * Returns the load of the warm-up: the mean of the first stage, so that a load that grows from zero has a warm-up.
 * @param arrivals the arrivals of a trace, which has no stages with a load
 */
export function getWarmUpStage({ stages, warmUpS = 0, ...settings }: WarmUpSettings, { atMs }: ArrivalTimes): Stage {
  const [first] = stages
  const ofTrace = (1000 * atMs.length) / Math.max(1000, atMs.at(-1) ?? 0)
  const load = settings.arrivals === 'trace' ? ofTrace : ((first?.from ?? 0) + (first?.to ?? 0)) / 2
  return { durationS: warmUpS, from: load, to: load }
}

/** Calculates the times of the warm-up's arrivals, which are at equal intervals. A closed loop has none. */
export function planWarmUp(settings: WarmUpSettings, arrivals: ArrivalTimes): readonly number[] {
  if (settings.arrivals === 'closed') return []
  return timesOf([getWarmUpStage(settings, arrivals)], (index) => index)
}

/**
 * Adds the arrivals of the warm-up in front of the others, which start later by its duration. The token counts of a
 * trace repeat from its start.
 */
export function addWarmUp(arrivals: ArrivalTimes, settings: WarmUpSettings): ArrivalTimes {
  const warmUp = planWarmUp(settings, arrivals)
  const laterMs = 1000 * (settings.warmUpS ?? 0)
  const repeat = (tokens: readonly number[]) => [...warmUp.map((_, at) => tokens[at % tokens.length] ?? 0), ...tokens]
  const { atMs, promptTokens, outputTokens } = arrivals
  return {
    atMs: [...warmUp, ...atMs.map((ms) => ms + laterMs)],
    ...(promptTokens === undefined ? {} : { promptTokens: repeat(promptTokens) }),
    ...(outputTokens === undefined ? {} : { outputTokens: repeat(outputTokens) }),
  }
}

/**
 * Calculates the times at which the integral of the rate reaches the given levels.
 * @param levelOf returns the level of arrival 0, 1, 2, …; called once for each index in ascending order
 */
function timesOf(stages: readonly Stage[], levelOf: (index: number) => number): number[] {
  const atMs: number[] = []
  let level = levelOf(0)
  let [startS, reached] = [0, 0]
  for (const stage of stages) {
    const share = ((stage.from + stage.to) / 2) * stage.durationS
    while (level < reached + share - ROUNDING) {
      atMs.push((startS + timeIn(stage, level - reached)) * 1000)
      level = levelOf(atMs.length)
    }
    startS += stage.durationS
    reached += share
  }
  return atMs
}

/**
 * Calculates the time, in seconds since the start of a stage, at which the integral of the stage's rate reaches a
 * level. Uses the form of the quadratic formula that is also valid for a constant rate.
 */
function timeIn({ durationS, from, to }: Stage, level: number): number {
  if (level <= 0) return 0
  const slope = (to - from) / durationS
  const root = Math.sqrt(Math.max(0, from * from + 2 * slope * level))
  return Math.min(durationS, (2 * level) / (from + root))
}

function exponentialSums(seed: number): (index: number) => number {
  let sum = 0
  return (index) => (sum -= Math.log(1 - createSeededRandom(seed, 'arrivals', index)))
}
