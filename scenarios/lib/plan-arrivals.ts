import { seededRandom } from './seeded-random.ts'
import type { LoadSettings, Stage } from './load-settings.ts'
import { type Arrivals, readTrace } from './read-trace.ts'

export type { Arrivals }

/** Tolerance where the integral of a rate should be a whole number. */
const ROUNDING = 1e-9

/**
 * Computes all arrivals of a plan. The expected number of arrivals by a time is the integral of the rate until then.
 * Constant arrivals occur at each integer value of it, Poisson arrivals at the sums of seeded exponential steps, so
 * that both follow a changing rate exactly.
 * @param trace content of the file at `tracePath`, for arrivals of a trace
 * @throws Error with one sentence if the trace cannot be read
 */
export function planArrivals(
  settings: Pick<LoadSettings, 'arrivals' | 'stages' | 'seed'>,
  trace: string | undefined,
): Arrivals {
  switch (settings.arrivals) {
    case 'closed':
      return { atMs: [] }
    case 'constant':
      return { atMs: timesOf(settings.stages, (index) => index) }
    case 'poisson':
      return { atMs: timesOf(settings.stages, exponentialSums(settings.seed)) }
    case 'trace':
      return readTrace(trace ?? '')
  }
}

/** @param levelOf value of the integral at arrival 0, 1, 2, …: ascending, called once for each, in order */
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

/** Seconds into a stage at which its integral reaches a level: the quadratic formula in the form that a slope of 0 does not break. */
function timeIn({ durationS, from, to }: Stage, level: number): number {
  if (level <= 0) return 0
  const slope = (to - from) / durationS
  const root = Math.sqrt(Math.max(0, from * from + 2 * slope * level))
  return Math.min(durationS, (2 * level) / (from + root))
}

function exponentialSums(seed: number): (index: number) => number {
  let sum = 0
  return (index) => (sum -= Math.log(1 - seededRandom(seed, 'arrivals', index)))
}
