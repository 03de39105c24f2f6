import { type Distribution, findValueAtRank } from '../distribution.ts'

/** Lower and upper bound. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** Normal quantile of a two-sided 99 % interval. */
const TAIL = 0.005
const Z = 2.5758

/** Number of samples from which the normal approximation replaces the exact sum. */
const EXACT_UP_TO = 20_000

/**
 * Returns the 99 % interval of a percentile (a share from 0 to 1) from order statistics, in milliseconds. Undefined if
 * there are too few samples.
 */
export function estimatePercentile(distribution: Distribution, share: number): Interval | undefined {
  const { n } = distribution
  const low = findValueAtRank(distribution, findRankBelow(n, share))
  // By symmetry, the upper rank is the lower rank of 1 - share, counted from the other end.
  const high = findValueAtRank(distribution, n + 1 - findRankBelow(n, 1 - share))
  return low === undefined || high === undefined ? undefined : { low, high }
}

/** Returns the highest rank that lies above the percentile with a probability of at most 0.5 %; 0 if there is none. */
export function findRankBelow(n: number, share: number): number {
  if (n > EXACT_UP_TO) return Math.floor(n * share - Z * Math.sqrt(n * share * (1 - share)))
  // The sample of rank r is above the percentile when fewer than r of n samples are below it.
  let logTerm = n * Math.log(1 - share)
  let sum = 0
  for (let below = 0; below < n; below += 1) {
    sum += Math.exp(logTerm)
    if (sum > TAIL) return below
    logTerm += Math.log(n - below) - Math.log(below + 1) + Math.log(share) - Math.log(1 - share)
  }
  return n
}

/** Returns Wilson's 99 % interval of a share, which is also valid at 0 and 1. Undefined without samples. */
export function estimateShare(count: number, n: number): Interval | undefined {
  if (n === 0) return undefined
  const share = count / n
  const middle = (share + Z ** 2 / (2 * n)) / (1 + Z ** 2 / n)
  const half = (Z / (1 + Z ** 2 / n)) * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2))
  return { low: middle - half, high: middle + half }
}
