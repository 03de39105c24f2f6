/** The nearest-rank percentile: the smallest value that at least this share of all does not exceed. NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** A median of several runs with the least and the most of them, rounded to `digits`. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** Sums up the same figure of several runs. */
export function spreadOf(values: readonly number[], digits = 2): Spread {
  return {
    median: round(percentile(values, 0.5), digits),
    least: round(Math.min(...values), digits),
    most: round(Math.max(...values), digits),
  }
}

/** Rounds to so many fraction digits. */
export function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}
