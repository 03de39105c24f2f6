import type { LoadFigure } from '../../reports/load-document.ts'
import { getErrorBound } from '../metrics/figure.ts'
import { decodeHistogram, getPercentileMs } from '../metrics/histogram.ts'
import type { LatencyBudget } from '../verdict/budget.ts'
import { isErrorTooLarge } from '../verdict/evaluate-budgets.ts'
import type { StepOutcome } from './search-rate.ts'

/** Probability of a wrong decision in one evaluation. It is the same as that of `MIN_SAMPLES`. */
const MAX_WRONG = 0.01
/** Quantile of the normal distribution for this probability. */
const Z = 2.3263
/** Variance of a binomial distribution from which the normal distribution is close enough to it. */
const MIN_NORMAL_VARIANCE = 100

/**
 * Decides whether a latency keeps a limit, with a probability of at most 1 % of a wrong decision for a percentile or a
 * mean. A step is evaluated after each of its runs, up to four times, which about doubles the probability for the step. A difference within the generator's measurement error decides nothing.
 */
export function evaluateLatency({ statistic, limitMs }: LatencyBudget, figure: LoadFigure): StepOutcome {
  const errorMs = figure.error === null ? 0 : getErrorBound(figure.error, statistic)
  if (isErrorTooLarge(figure[statistic], errorMs, limitMs)) return 'generator'
  const [lowMs, highMs] = boundStatistic(statistic, figure)
  if (highMs + errorMs <= limitMs) return 'holds'
  return lowMs - errorMs > limitMs ? 'broken' : 'uncertain'
}

/** Returns the lower and the upper confidence bound of a statistic; -Infinity or Infinity if there are too few samples. */
function boundStatistic(statistic: LatencyBudget['statistic'], figure: LoadFigure): readonly [number, number] {
  if (statistic === 'max') return [figure.max, figure.max]
  const histogram = decodeHistogram(figure.histogram)
  if (statistic === 'mean') {
    if (figure.n < 2) return [-Infinity, Infinity]
    const halfMs = (Z * histogram.stdDeviation) / 1000 / Math.sqrt(figure.n - 1)
    return [figure.mean - halfMs, figure.mean + halfMs]
  }
  const share = Number(statistic.slice(1)) / 100
  const { low, high } = boundRanks(figure.n, share)
  const valueAt = (rank: number) => getPercentileMs(histogram, (100 * rank) / figure.n)
  return [low < 1 ? -Infinity : valueAt(low), high > figure.n ? Infinity : valueAt(high)]
}

/**
 * Returns the ranks of the samples that bound a percentile from below and from above, each with a probability of at
 * least 99 %. A rank of 0 or `n + 1` means that there are too few samples.
 */
export function boundRanks(n: number, share: number): { readonly low: number; readonly high: number } {
  // The number of samples above the percentile has a binomial distribution.
  const above = 1 - share
  const [mean, variance] = [n * above, n * above * share]
  if (variance >= MIN_NORMAL_VARIANCE) {
    const half = Z * Math.sqrt(variance)
    return { low: n - Math.ceil(mean + half), high: n - Math.floor(mean - half) + 1 }
  }
  let probability = share ** n
  let cumulative = probability
  let [fewest, most] = [-1, n]
  for (let count = 0; count <= n; count += 1) {
    if (cumulative <= MAX_WRONG) fewest = count
    if (cumulative >= 1 - MAX_WRONG) {
      most = count
      break
    }
    probability *= ((n - count) / (count + 1)) * (above / share)
    cumulative += probability
  }
  // At most `fewest` samples above the percentile, or more than `most`, are improbable.
  return { low: n - most, high: n - fewest }
}
