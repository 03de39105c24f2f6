import type { LoadFigure } from '../../reports/load-document.ts'
import { getErrorBound } from '../metrics/figure.ts'
import { decodeHistogram, getPercentileMs } from '../metrics/histogram.ts'
import type { LatencyBudget } from '../verdict/budget.ts'
import { isErrorTooLarge } from '../verdict/evaluate-budgets.ts'
import type { StepOutcome } from './search-rate.ts'

/** Maximum probability of a wrong decision in one evaluation, the same as for `MIN_SAMPLES`. */
const MAX_WRONG = 0.01
/** Quantile of the standard normal distribution for the probability `MAX_WRONG`. */
const Z = 2.3263
/** Variance from which the normal distribution approximates a binomial distribution closely enough. */
const MIN_NORMAL_VARIANCE = 100

/**
 * Decides whether a latency is within a limit. For a percentile or a mean, a decision is wrong with a probability of at
 * most 1 %. A step has up to four runs and is evaluated after each of them, so this probability about doubles. It is
 * higher for inter-token latency, because the latencies of one stream depend on each other. A difference within the
 * generator's measurement error leads to no decision.
 */
export function evaluateLatency({ statistic, limitMs }: LatencyBudget, figure: LoadFigure): StepOutcome {
  const errorMs = figure.error === null ? 0 : getErrorBound(figure.error, statistic)
  if (isErrorTooLarge(figure[statistic], errorMs, limitMs)) return 'generator'
  const [lowMs, highMs] = boundStatistic(statistic, figure)
  if (highMs + errorMs <= limitMs) return 'holds'
  return lowMs - errorMs > limitMs ? 'broken' : 'uncertain'
}

/**
 * Returns the lower and upper confidence bound of a statistic. With too few samples, a bound is -Infinity or Infinity.
 */
function boundStatistic(statistic: LatencyBudget['statistic'], figure: LoadFigure): readonly [number, number] {
  if (statistic === 'max') return [figure.max, figure.max]
  const histogram = decodeHistogram(figure.histogram)
  if (statistic === 'mean') {
    if (figure.n < 2) return [-Infinity, Infinity]
    const halfMs = (Z * histogram.stdDeviation) / 1000 / Math.sqrt(figure.n - 1)
    return [figure.mean - halfMs, figure.mean + halfMs]
  }
  const share = Number(statistic.slice(1)) / 100
  const { low, high } = calculateBoundRanks(figure.n, share)
  const valueAt = (rank: number) => getPercentileMs(histogram, (100 * rank) / figure.n)
  return [low < 1 ? -Infinity : valueAt(low), high > figure.n ? Infinity : valueAt(high)]
}

/**
 * Returns the ranks of the samples that bound a percentile from below and from above, each with a probability of at
 * least 99 %. The rank 0 or `n + 1` means that there are too few samples.
 */
export function calculateBoundRanks(n: number, share: number): { readonly low: number; readonly high: number } {
  // The number of samples above the percentile has a binomial distribution.
  const above = 1 - share
  const [mean, variance] = [n * above, n * above * share]
  if (variance >= MIN_NORMAL_VARIANCE) {
    const half = Z * Math.sqrt(variance)
    return { low: n - Math.ceil(mean + half), high: n - Math.floor(mean - half) + 1 }
  }
  let probability = share ** n
  let cumulative = probability
  let [min, max] = [-1, n]
  for (let count = 0; count <= n; count += 1) {
    if (cumulative <= MAX_WRONG) min = count
    if (cumulative >= 1 - MAX_WRONG) {
      max = count
      break
    }
    probability *= ((n - count) / (count + 1)) * (above / share)
    cumulative += probability
  }
  // Each of these has a probability of at most 1 %: at most `min` samples above the percentile, and more than
  // `max`.
  return { low: n - max, high: n - min }
}
