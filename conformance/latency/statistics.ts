import type { Statistic } from './budget.ts'

/** The least sample that at least this share of them does not exceed (nearest rank). `sorted` ascends; 0 without samples. */
export function nearestRank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

const SHARES = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, max: 1 } as const

/** A statistic of some samples; undefined where there are none. */
export function statisticOf(values: readonly number[], statistic: Statistic): number | undefined {
  if (values.length === 0) {
    return undefined
  }
  if (statistic === 'mean') {
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }
  return nearestRank(
    values.toSorted((a, b) => a - b),
    SHARES[statistic],
  )
}
