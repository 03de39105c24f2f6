import type { AddedFigure, AddedMetricName, AddedValue } from '../../reports/load-parts-document.ts'
import type { MeasurementError } from '../metrics/figure.ts'
import { roundMs } from '../metrics/histogram.ts'
import type { AddedLatencySample } from './compare-streams.ts'

/**
 * Calculates the statistics of added latencies. Values may be negative: a gateway that delays the first token and sends
 * the next one at once shortens an inter-token latency.
 *
 * A statistic of the true values is between the same statistics of the low and high ends of all samples.
 * @param error measurement error of a single time on a direct connection; it replaces the bounds of the samples. Null
 *   if it was not measured
 */
export function calculateAddedFigure(
  samples: readonly AddedLatencySample[],
  error: MeasurementError | null,
): AddedFigure | undefined {
  if (samples.length === 0) return undefined
  const measured = summarize(samples.map(({ ms }) => ms))
  const low = summarize(samples.flatMap(({ lowMs }) => lowMs ?? []))
  const high = summarize(samples.flatMap(({ highMs }) => highMs ?? []))
  const isBounded = low.n === samples.length && high.n === samples.length
  const value = (name: Statistic): AddedValue => {
    const ms = roundMs(measured[name])
    // The error covers 99 % of the requests, so it does not apply to the largest value.
    if (error !== null && name !== 'max') {
      return { ms, lowMs: roundMs(measured[name] - error.p99Ms), highMs: roundMs(measured[name] + error.p99Ms) }
    }
    if (error !== null || !isBounded) return { ms, lowMs: null, highMs: null }
    return { ms, lowMs: roundMs(low[name]), highMs: roundMs(high[name]) }
  }
  return {
    n: samples.length,
    mean: value('mean'),
    p50: value('p50'),
    p90: value('p90'),
    p95: value('p95'),
    p99: value('p99'),
    max: value('max'),
  }
}

type Statistic = Exclude<keyof AddedFigure, 'n'>

function summarize(values: readonly number[]): Readonly<Record<Statistic | 'n', number>> {
  const sorted = Float64Array.from(values).sort()
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  return {
    n: sorted.length,
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p50: rank(0.5),
    p90: rank(0.9),
    p95: rank(0.95),
    p99: rank(0.99),
    max: rank(1),
  }
}

/** Metrics of added latency, in the order of reports. */
export const ADDED_METRICS = ['ttftMs', 'itlMs', 'e2eMs'] as const satisfies readonly AddedMetricName[]
