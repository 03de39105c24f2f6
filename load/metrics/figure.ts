import type { LoadFigure } from '../../reports/load-document.ts'
import type { HistogramResult } from '../../scenarios/lib/extension-result.ts'
import { encodeHistogram, type Histogram, mergeHistograms, percentileMs, roundMs } from './histogram.ts'

/** How far off a figure may be. */
export type FigureError = NonNullable<LoadFigure['error']>

/** All samples of several processes or operations together; undefined where there are none. */
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

/** What a reader wants to know of samples. */
export function figureOf(samples: HistogramResult, error: FigureError | null): LoadFigure {
  const histogram = histogramOf([samples])
  // A bucket's upper end may lie a little above the highest value.
  const at = (percent: number) => roundMs(Math.min(percentileMs(histogram, percent), samples.maxMs))
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

/** The samples that a figure was made of. */
export function samplesOf({ n, mean, min, max, histogram }: LoadFigure): HistogramResult {
  return { n, sumMs: mean * n, minMs: min, maxMs: max, encoded: histogram }
}

function histogramOf(parts: readonly HistogramResult[]): Histogram {
  const merged = mergeHistograms(parts.map(({ encoded }) => encoded))
  if (merged === undefined) throw new Error('samples without a histogram')
  return merged
}
