/**
 * Calculates the nearest-rank percentile: the smallest value for which this fraction of all values is at most as large.
 * Returns NaN for an empty list.
 * @param share the percentile as a fraction from 0 to 1
 */
export function calculatePercentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** Median, minimum and maximum of a measurement over several runs. */
export interface RunStatistics {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Calculates the median, minimum and maximum of several runs, rounded to `digits` decimal places. */
export function calculateRunStatistics(values: readonly number[], digits = 2): RunStatistics {
  return {
    median: roundTo(calculatePercentile(values, 0.5), digits),
    min: roundTo(Math.min(...values), digits),
    max: roundTo(Math.max(...values), digits),
  }
}

export function roundTo(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}
