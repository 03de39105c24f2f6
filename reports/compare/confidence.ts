import { type LatencyDistribution, findValueAtRank } from '../distribution.ts'

export interface ConfidenceInterval {
  readonly low: number
  readonly high: number
}

/** Probability of each tail of a two-sided 99 % interval. */
const TAIL_PROBABILITY = 0.005
const Z = 2.5758

/** Maximum number of samples for the exact binomial sum. Otherwise, the normal approximation is used. */
const MAX_EXACT_SAMPLES = 20_000

/**
 * Calculates the 99 % confidence interval of a percentile in milliseconds, from order statistics. Returns undefined if
 * there are too few samples.
 * @param share the percentile as a fraction from 0 to 1
 * @param independent number of independent values among the samples. The samples are divided evenly among them
 */
export function estimatePercentile(
  distribution: LatencyDistribution,
  share: number,
  independent = distribution.n,
): ConfidenceInterval | undefined {
  if (independent < 1) return undefined
  const samplesEach = distribution.n / independent
  const low = findValueAtRank(distribution, Math.floor(findRankBelow(independent, share) * samplesEach))
  // By symmetry, the upper rank equals the lower rank of 1 - share, counted from the largest sample.
  const fromTop = Math.floor(findRankBelow(independent, 1 - share) * samplesEach)
  const high = findValueAtRank(distribution, distribution.n + 1 - fromTop)
  return low === undefined || high === undefined ? undefined : { low, high }
}

/**
 * Returns the highest rank (from 1, in ascending order) whose sample is above the percentile with a probability of at
 * most 0.5 %. Returns 0 if there is none.
 */
export function findRankBelow(n: number, share: number): number {
  if (n > MAX_EXACT_SAMPLES) return Math.floor(n * share - Z * Math.sqrt(n * share * (1 - share)))
  // The sample of rank r is above the percentile if fewer than r of n samples are below the percentile.
  let logTerm = n * Math.log(1 - share)
  let sum = 0
  for (let below = 0; below < n; below += 1) {
    sum += Math.exp(logTerm)
    if (sum > TAIL_PROBABILITY) return below
    logTerm += Math.log(n - below) - Math.log(below + 1) + Math.log(share) - Math.log(1 - share)
  }
  return n
}

/** Calculates Wilson's 99 % confidence interval of a proportion, which is also valid at 0 and 1. */
export function estimateProportion(count: number, n: number): ConfidenceInterval | undefined {
  if (n === 0) return undefined
  const share = count / n
  const middle = (share + Z ** 2 / (2 * n)) / (1 + Z ** 2 / n)
  const half = (Z / (1 + Z ** 2 / n)) * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2))
  return { low: middle - half, high: middle + half }
}
