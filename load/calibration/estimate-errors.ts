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

/**
 * Estimates the error bounds of a run from the errors of a calibration, by metric and statistic.
 * @param firstShare fraction of the run's requests that are the first request of their client
 */
export function estimateErrors(differences: TimingDifferences, firstShare: number): Calibration['figures'] {
  return errorsByMetric(differences, (compared) => estimateError(compared, firstShare))
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

function estimateError(compared: readonly TimingDifference[], firstShare: number): MeasurementError {
  const [first, later] = [compared.filter(({ isFirst }) => isFirst), compared.filter(({ isFirst }) => !isFirst)]
  // All requests may be first requests, or none.
  const share = later.length === 0 ? 1 : first.length === 0 ? 0 : firstShare
  const weighted = [
    ...first.map((difference) => ({ ...difference, weight: share / first.length })),
    ...later.map((difference) => ({ ...difference, weight: (1 - share) / later.length })),
  ]
    .map(({ measuredMs, recordedMs, weight }) => ({ errorMs: measuredMs - recordedMs, weight }))
    .toSorted((a, b) => Math.abs(a.errorMs) - Math.abs(b.errorMs))
  const biasMs = weighted.reduce((sum, { errorMs, weight }) => sum + errorMs * weight, 0)
  return withStatistics(biasMs, (part) => {
    const above = (1 - part) * SHARE_ABOVE
    let left = 1
    const found = weighted.find(({ weight }) => (left -= weight) <= above + Number.EPSILON * weighted.length)
    return Math.max(MIN_ERROR_MS, MARGIN * Math.abs((found ?? weighted.at(-1))?.errorMs ?? 0))
  })
}

/**
 * Calculates the error of one metric. The error of a percentile is at least the difference between the percentiles of
 * measured and recorded times.
 */
export function calculateError(compared: readonly TimingDifference[]): MeasurementError {
  const sorted = (value: (difference: TimingDifference) => number) => Float64Array.from(compared, value).sort()
  const measured = sorted(({ measuredMs }) => measuredMs)
  const recorded = sorted(({ recordedMs }) => recordedMs)
  const errors = sorted(({ measuredMs, recordedMs }) => Math.abs(measuredMs - recordedMs))
  const biasMs =
    compared.reduce((sum, { measuredMs, recordedMs }) => sum + measuredMs - recordedMs, 0) / compared.length
  return withStatistics(biasMs, (part) => {
    const at = (values: Float64Array) => values[Math.max(0, Math.ceil(part * values.length) - 1)] ?? 0
    return Math.max(at(errors), Math.abs(at(measured) - at(recorded)))
  })
}

function withStatistics(biasMs: number, at: (share: number) => number): MeasurementError {
  return {
    biasMs: roundMs(biasMs),
    p50Ms: roundMs(at(SAMPLE_FRACTIONS.p50Ms)),
    p90Ms: roundMs(at(SAMPLE_FRACTIONS.p90Ms)),
    p95Ms: roundMs(at(SAMPLE_FRACTIONS.p95Ms)),
    p99Ms: roundMs(at(SAMPLE_FRACTIONS.p99Ms)),
    maxMs: roundMs(at(SAMPLE_FRACTIONS.maxMs)),
  }
}
