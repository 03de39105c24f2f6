import type { AddedFigure, AddedMetricName, AddedValue, LoadFigure, LoadUpstream } from '../../reports/load-document.ts'
import { decodeHistogram, type Histogram, getPercentileMs, roundMs } from '../metrics/histogram.ts'
import { listEntries, type Measurements } from '../metrics/measurements.ts'
import { mergeFigures } from '../metrics/merge-measurements.ts'
import { ADDED_METRICS } from './upstream-figures.ts'

/**
 * Compares the latencies of a gateway with those of its upstream. The same generator measured both in turns, so the
 * error of the generator affects both equally.
 */
export function compareDistributions(url: string, target: Measurements, upstream: Measurements): LoadUpstream {
  const added: Partial<Record<AddedMetricName, AddedFigure>> = {}
  for (const metric of ADDED_METRICS) {
    const [own, other] = [figureOf(target, metric), figureOf(upstream, metric)]
    if (own !== undefined && other !== undefined) added[metric] = subtractFigures(own, other)
  }
  return {
    url,
    method: 'turns',
    compared: upstream.requests.ok,
    responses: target.requests.ok,
    added,
    forwarding: null,
    streams: null,
    credits: null,
  }
}

function figureOf({ metrics }: Measurements, metric: AddedMetricName): LoadFigure | undefined {
  const figures = listEntries(metrics).flatMap(([, own]) => own[metric] ?? [])
  return figures.length === 0 ? undefined : mergeFigures(figures)
}

function subtractFigures(own: LoadFigure, other: LoadFigure): AddedFigure {
  const [a, b] = [decodeHistogram(own.histogram), decodeHistogram(other.histogram)]
  const at = (share: number): AddedValue => {
    const [above, below] = [boundPercentile(a, share), boundPercentile(b, share)]
    return {
      ms: roundMs(getPercentileMs(a, share * 100) - getPercentileMs(b, share * 100)),
      lowMs: difference(above.lowMs, below.highMs),
      highMs: difference(above.highMs, below.lowMs),
    }
  }
  return {
    n: Math.min(own.n, other.n),
    mean: subtractMeans([own, a], [other, b]),
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    max: { ms: roundMs(own.max - other.max), lowMs: null, highMs: null },
  }
}

/**
 * Quantile of the standard normal distribution for a two-sided interval of 99 %. The difference of two such intervals
 * is one of 98 %.
 */
const Z = 2.5758

interface Bounds {
  readonly lowMs: number | null
  readonly highMs: number | null
}

/**
 * Returns a confidence interval of a percentile, calculated from order statistics. A bound is null if there are too few
 * samples.
 */
function boundPercentile(histogram: Histogram, share: number): Bounds {
  const n = histogram.totalCount
  const half = Z * Math.sqrt(n * share * (1 - share))
  const low = Math.floor(n * share - half)
  const high = Math.ceil(n * share + half) + 1
  const valueAt = (rank: number) => (rank < 1 || rank > n ? null : getPercentileMs(histogram, (100 * rank) / n))
  return { lowMs: valueAt(low), highMs: valueAt(high) }
}

function difference(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : roundMs(a - b)
}

function subtractMeans([own, a]: [LoadFigure, Histogram], [other, b]: [LoadFigure, Histogram]): AddedValue {
  const varianceMs = (histogram: Histogram) =>
    (histogram.stdDeviation / 1000) ** 2 / Math.max(1, histogram.totalCount - 1)
  const halfMs = Z * Math.sqrt(varianceMs(a) + varianceMs(b))
  const ms = own.mean - other.mean
  return { ms: roundMs(ms), lowMs: roundMs(ms - halfMs), highMs: roundMs(ms + halfMs) }
}
