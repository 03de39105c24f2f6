/**
 * Nearest-rank percentile: the smallest value that is at least as large as this fraction of all values. NaN for an
 * empty list.
 */
export function calculatePercentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** Median, minimum and maximum of several runs, rounded to `digits`. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** Summarizes one figure over several runs. */
export function calculateSpread(values: readonly number[], digits = 2): Spread {
  return {
    median: round(calculatePercentile(values, 0.5), digits),
    least: round(Math.min(...values), digits),
    most: round(Math.max(...values), digits),
  }
}

/** Rounds to this many fraction digits. */
export function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}
