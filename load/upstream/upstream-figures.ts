import type { AddedFigure, AddedMetricName, AddedValue } from '../../reports/load-document.ts'
import type { MeasurementError } from '../metrics/figure.ts'
import { roundMs } from '../metrics/histogram.ts'

/**
 * Calculates the statistics of added latencies. Values may be negative: a gateway that delays the first token and sends
 * the next one at once shortens a gap.
 * @param error measurement error of one time on a direct connection; null if it was not measured
 */
export function calculateAddedFigure(
  valuesMs: readonly number[],
  error: MeasurementError | null,
): AddedFigure | undefined {
  if (valuesMs.length === 0) return undefined
  const sorted = Float64Array.from(valuesMs).sort()
  const bounded = (ms: number, errorMs: number | undefined): AddedValue => ({
    ms: roundMs(ms),
    lowMs: errorMs === undefined ? null : roundMs(ms - errorMs),
    highMs: errorMs === undefined ? null : roundMs(ms + errorMs),
  })
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  const at = (share: number) => bounded(rank(share), error?.p99Ms)
  return {
    n: sorted.length,
    mean: bounded(sorted.reduce((sum, value) => sum + value, 0) / sorted.length, error?.p99Ms),
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    // The error bound covers 99 % of the requests, so it does not apply to the largest value.
    max: bounded(rank(1), undefined),
  }
}

/** Metrics of added latency, in the order of reports. */
export const ADDED_METRICS = ['ttftMs', 'gapMs', 'e2eMs'] as const satisfies readonly AddedMetricName[]
