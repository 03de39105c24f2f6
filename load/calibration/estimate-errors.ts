import type { Calibration, LoadMetricName } from '../../reports/load-document.ts'
import type { MeasurementError } from '../metrics/figure.ts'
import { roundMs } from '../metrics/histogram.ts'
import type { TimingDifference, TimingDifferences } from './join-events.ts'

/**
 * Metrics that the target also records. It cannot record the scheduling delay, because it does not know when each
 * request was planned.
 */
const COMPARED_METRICS: readonly LoadMetricName[] = ['ttftMs', 'textTtftMs', 'itlMs', 'tpotMs', 'e2eMs']

/** Fraction of the samples at or below each statistic. */
const SAMPLE_FRACTIONS = { p50Ms: 0.5, p90Ms: 0.9, p95Ms: 0.95, p99Ms: 0.99, maxMs: 1 } as const

/**
 * Factor applied to the fraction of samples above a percentile, because an estimate for a different run uses a higher
 * percentile of the errors. For p90, 3.3 % of the samples exceed the resulting error.
 */
const SHARE_ABOVE = 1 / 3
/** Factor between the errors that a calibration measured and the reported bounds, because no two runs are equal. */
const MARGIN = 2
/** Minimum reported bound. Random wake-up delays of an idle machine reach this value. */
const MIN_ERROR_MS = 0.25

/** Estimates the error bounds of a run from the errors of a calibration, by metric and statistic. */
export function estimateErrors(differences: TimingDifferences): Calibration['figures'] {
  return errorsByMetric(differences, estimateError)
}

export function calculateErrors(differences: TimingDifferences): Calibration['figures'] {
  return errorsByMetric(differences, calculateError)
}

function errorsByMetric(
  differences: TimingDifferences,
  summarize: (compared: readonly TimingDifference[]) => MeasurementError,
): Calibration['figures'] {
  return Object.fromEntries(
    COMPARED_METRICS.flatMap((metric) => {
      const compared = differences.filter((difference) => difference.metric === metric)
      return compared.length === 0 ? [] : [[metric, { n: compared.length, ...summarize(compared) }]]
    }),
  )
}

function estimateError(compared: readonly TimingDifference[]): MeasurementError {
  const sorted = sortErrors(compared)
  return withStatistics(compared, (part) => {
    const above = (1 - part) * SHARE_ABOVE
    return Math.max(MIN_ERROR_MS, MARGIN * valueAt(sorted, 1 - above))
  })
}

/**
 * Calculates the error of one metric. The error of a percentile is at least the difference between the percentiles of
 * measured and recorded times.
 */
export function calculateError(compared: readonly TimingDifference[]): MeasurementError {
  const measured = Float64Array.from(compared, ({ measuredMs }) => measuredMs).sort()
  const recorded = Float64Array.from(compared, ({ recordedMs }) => recordedMs).sort()
  const errors = sortErrors(compared)
  return withStatistics(compared, (part) =>
    Math.max(valueAt(errors, part), Math.abs(valueAt(measured, part) - valueAt(recorded, part))),
  )
}

/** Returns the absolute errors in ascending order. */
function sortErrors(compared: readonly TimingDifference[]): Float64Array {
  return Float64Array.from(compared, ({ measuredMs, recordedMs }) => Math.abs(measuredMs - recordedMs)).sort()
}

/** Returns the value that a share of the sorted values does not exceed. */
function valueAt(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length - 1e-9) - 1)] ?? 0
}

function withStatistics(compared: readonly TimingDifference[], at: (share: number) => number): MeasurementError {
  const sum = compared.reduce((total, { measuredMs, recordedMs }) => total + measuredMs - recordedMs, 0)
  const statistics = Object.entries(SAMPLE_FRACTIONS).map(([name, share]) => [name, roundMs(at(share))])
  // The cast is safe: the table has a fraction for each statistic.
  return { biasMs: roundMs(sum / compared.length), ...Object.fromEntries(statistics) } as MeasurementError
}
