import type { LoadFigure } from '../../reports/load-document.ts'
import type { HistogramResult } from '../../scenarios/lib/extension-result.ts'
import { encodeHistogram, type Histogram, mergeHistograms, getPercentileMs, roundMs } from './histogram.ts'

/** Bounds of the measurement error of a figure. */
export type MeasurementError = NonNullable<LoadFigure['error']>

/**
 * Returns the bound of the error of a statistic. Documents before version 1.2 have percentiles of the error instead,
 * and the error of their median may be larger than `p50Ms`.
 */
export function getErrorBound(error: MeasurementError, statistic: keyof typeof BOUND_NAMES): number {
  return error.p90Ms === undefined ? error.p99Ms : (error[BOUND_NAMES[statistic]] ?? error.p99Ms)
}

/** Fields with the bounds of the statistics. The mean has none of its own. */
const BOUND_NAMES = {
  p50: 'p50Ms',
  p90: 'p90Ms',
  p95: 'p95Ms',
  p99: 'p99Ms',
  max: 'maxMs',
  mean: 'p99Ms',
} as const satisfies Readonly<Record<string, keyof MeasurementError>>

/** Merges the samples of several processes or operations. Returns undefined for an empty list. */
export function mergeSamples(parts: readonly HistogramResult[]): HistogramResult | undefined {
  const filled = parts.filter(({ n }) => n > 0)
  const [first, ...others] = filled
  if (first === undefined) return undefined
  if (others.length === 0) return first
  const sum = (value: (part: HistogramResult) => number) => filled.reduce((total, part) => total + value(part), 0)
  return {
    n: sum(({ n }) => n),
    sumMs: sum(({ sumMs }) => sumMs),
    minMs: Math.min(...filled.map(({ minMs }) => minMs)),
    maxMs: Math.max(...filled.map(({ maxMs }) => maxMs)),
    encoded: encodeHistogram(histogramOf(filled)),
  }
}

/** Calculates the figure of a document from samples. */
export function calculateFigure(samples: HistogramResult, error: MeasurementError | null): LoadFigure {
  const histogram = histogramOf([samples])
  // The upper end of a bucket may be slightly above the highest value.
  const at = (percent: number) => roundMs(Math.min(getPercentileMs(histogram, percent), samples.maxMs))
  return {
    n: samples.n,
    min: roundMs(samples.minMs),
    mean: roundMs(samples.sumMs / samples.n),
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    max: roundMs(samples.maxMs),
    error,
    histogram: samples.encoded,
  }
}

/** Converts a figure of a document back to samples. */
export function convertToSamples({ n, mean, min, max, histogram }: LoadFigure): HistogramResult {
  return { n, sumMs: mean * n, minMs: min, maxMs: max, encoded: histogram }
}

function histogramOf(parts: readonly HistogramResult[]): Histogram {
  const merged = mergeHistograms(parts.map(({ encoded }) => encoded))
  if (merged === undefined) throw new Error('samples without a histogram')
  return merged
}
