import type { LoadFigure } from '../../reports/load-document.ts'
import { getErrorBound } from '../metrics/figure.ts'
import { decodeHistogram, getPercentileMs } from '../metrics/histogram.ts'
import { type LatencyBudget, MIN_SAMPLES } from '../verdict/budget.ts'
import { isErrorTooLarge } from '../verdict/evaluate-budgets.ts'
import type { Evaluation } from './search-levels.ts'
import { countBreaking, countHolding, countSuspicious } from './sequential-test.ts'

/** Quantile of the standard normal distribution for a probability of 1 %. */
const Z = 2.3263

/**
 * Decides whether a latency is within a limit. A decision about a percentile is wrong with a probability of at most
 * 1 %, although each run is evaluated once per second and together with earlier runs (`sequential-test.ts`). A decision
 * about a mean has this probability at each evaluation. For inter-token latency, the probability is higher, because
 * the latencies of one stream depend on each other. A difference within the generator's measurement error leads to no
 * decision.
 */
export function evaluateLatency({ statistic, limitMs }: LatencyBudget, figure: LoadFigure): Evaluation {
  const errorMs = figure.error === null ? 0 : getErrorBound(figure.error, statistic)
  const { lowMs, suspectedMs, highMs } = boundStatistic(statistic, figure)
  const isWithin = suspectedMs <= limitMs
  if (isErrorTooLarge(figure[statistic], errorMs, limitMs)) return { outcome: 'generator', isWithin }
  if (highMs + errorMs <= limitMs) return { outcome: 'holds', isWithin }
  return { outcome: lowMs - errorMs > limitMs ? 'broken' : 'uncertain', isWithin }
}

/** Returns the share of samples that a percentile such as `p99` allows above its limit. */
export function getAllowedShare(percentile: string): number {
  return (100 - Number(percentile.slice(1))) / 100
}

interface StatisticBounds {
  /** Lower and upper confidence bounds. With too few samples, they are -Infinity and Infinity. */
  readonly lowMs: number
  readonly highMs: number
  /** The statistic is suspected to be at least this value, without confidence. */
  readonly suspectedMs: number
}

function boundStatistic(statistic: LatencyBudget['statistic'], figure: LoadFigure): StatisticBounds {
  const { n } = figure
  if (statistic === 'max') return { lowMs: figure.max, suspectedMs: figure.max, highMs: figure.max }
  const histogram = decodeHistogram(figure.histogram)
  if (statistic === 'mean') {
    const halfMs = n < 2 ? Infinity : (Z * histogram.stdDeviation) / 1000 / Math.sqrt(n - 1)
    return { lowMs: figure.mean - halfMs, suspectedMs: figure.mean, highMs: figure.mean + halfMs }
  }
  const allowed = getAllowedShare(statistic)
  const valueAt = (rank: number) => (rank < 1 ? -Infinity : getPercentileMs(histogram, (100 * rank) / n))
  const holding = countHolding(n, allowed)
  return {
    lowMs: valueAt(n - countBreaking(n, allowed) + 1),
    suspectedMs: valueAt(n - countSuspicious(n, allowed) + 1),
    highMs: holding < 0 || n < MIN_SAMPLES[statistic] ? Infinity : valueAt(n - holding),
  }
}
