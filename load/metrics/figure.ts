import type { BoundDistribution, LoadFigure } from '../../reports/load-document.ts'
import type { HistogramResult, SamplesResult } from '../../scenarios/lib/extension-result.ts'
import { encodeHistogram, type Histogram, MAX_US, mergeHistograms, getPercentileMs, roundMs } from './histogram.ts'

/** Bounds of the measurement error of a figure, by statistic. */
export type MeasurementError = NonNullable<LoadFigure['error']>

/** Returns the error bound of a statistic. */
export function getErrorBound(error: MeasurementError, statistic: keyof typeof BOUND_NAMES): number {
  return error[BOUND_NAMES[statistic]]
}

/** Field of {@link MeasurementError} that bounds each statistic. The mean has no field and uses the bound of p99. */
const BOUND_NAMES = {
  p50: 'p50Ms',
  p90: 'p90Ms',
  p95: 'p95Ms',
  p99: 'p99Ms',
  max: 'maxMs',
  mean: 'p99Ms',
} as const satisfies Readonly<Record<string, keyof MeasurementError>>

/**
 * Merges samples of several processes or operations. The result has bounds if all inputs have them. Returns undefined
 * if there are no samples.
 */
export function mergeSamples(parts: readonly HistogramResult[]): HistogramResult | undefined {
  const filled = parts.filter(({ n }) => n > 0)
  const [first, ...others] = filled
  if (first === undefined) return undefined
  if (others.length === 0) return first
  const [lows, highs] = [filled.flatMap(({ low }) => low ?? []), filled.flatMap(({ high }) => high ?? [])]
  const hasBounds = lows.length === filled.length && highs.length === filled.length
  return { ...addSamples(filled), ...(hasBounds ? { low: addSamples(lows), high: addSamples(highs) } : {}) }
}

function addSamples(filled: readonly SamplesResult[]): SamplesResult {
  const sum = (value: (part: SamplesResult) => number) => filled.reduce((total, part) => total + value(part), 0)
  return {
    n: sum(({ n }) => n),
    sumMs: sum(({ sumMs }) => sumMs),
    minMs: Math.min(...filled.map(({ minMs }) => minMs)),
    maxMs: Math.max(...filled.map(({ maxMs }) => maxMs)),
    encoded: encodeHistogram(histogramOf(filled)),
  }
}

/**
 * Calculates the statistics that a document contains for a metric from its samples.
 * @param estimated measurement error for samples without bounds
 */
export function summarizeSamples(samples: HistogramResult, estimated: MeasurementError | null): LoadFigure {
  const statistics = calculateStatistics(samples)
  const { low, high } = samples
  const head = { n: samples.n, ...statistics, histogram: samples.encoded }
  if (low === undefined || high === undefined) return { ...head, error: estimated }
  const ends = { low: calculateStatistics(low), high: calculateStatistics(high) }
  return {
    ...head,
    error: boundError(statistics, ends),
    bounds: { low: endsOf(ends.low, low), high: endsOf(ends.high, high) },
  }
}

type Statistics = Pick<LoadFigure, 'min' | 'mean' | 'p50' | 'p90' | 'p95' | 'p99' | 'max'>

function calculateStatistics(samples: SamplesResult): Statistics {
  const histogram = histogramOf([samples])
  // The upper end of a bucket may be slightly above the highest value.
  const at = (percent: number) => roundMs(Math.min(getPercentileMs(histogram, percent), samples.maxMs))
  return {
    min: roundMs(samples.minMs),
    mean: roundMs(samples.sumMs / samples.n),
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    max: roundMs(samples.maxMs),
  }
}

function endsOf({ mean, min, max }: Statistics, { encoded }: SamplesResult): BoundDistribution {
  return { mean, min, max, histogram: encoded }
}

/** Width of the widest bucket of a histogram with 4 digits, as a fraction of the value. */
const BUCKET_WIDTH = 2 ** -14
/**
 * Resolution of a measured time in milliseconds. The kernel may take two timestamps of one packet, for a packet capture
 * and for the socket. Usually they differ by one microsecond, but 1 to 2 % of them differ by 5 to 27 µs on loopback.
 * Percentiles of many latencies differed by at most 14 µs. Rounding samples and statistics to microseconds adds less.
 */
const RESOLUTION_MS = 0.02

/**
 * Calculates the error bound of each statistic. Each true duration lies within its bounds. Therefore, a percentile of
 * the true durations lies between the same percentiles of the lower and the upper bounds.
 */
function boundError(
  measured: Statistics,
  { low, high }: { readonly low: Statistics; readonly high: Statistics },
): MeasurementError {
  const bound = (name: 'p50' | 'p90' | 'p95' | 'p99' | 'max') =>
    roundUpMs(
      Math.max(measured[name] - low[name], high[name] - measured[name]) + high[name] * BUCKET_WIDTH + RESOLUTION_MS,
    )
  return {
    biasMs: roundMs(measured.mean - (low.mean + high.mean) / 2),
    p50Ms: bound('p50'),
    p90Ms: bound('p90'),
    p95Ms: bound('p95'),
    p99Ms: bound('p99'),
    maxMs: bound('max'),
  }
}

/** Rounds milliseconds up to three decimal places. A bound that is rounded down may exclude the true value. */
function roundUpMs(ms: number): number {
  return Math.ceil(ms * 1000) / 1000
}

/** Adds a number of samples that are slower than all others: one hour, the maximum of a histogram. */
export function addSlowest(figure: LoadFigure, count: number): LoadFigure {
  const add = (samples: SamplesResult): SamplesResult => {
    const histogram = histogramOf([samples])
    histogram.recordValueWithCount(MAX_US, count)
    const maxMs = MAX_US / 1000
    return {
      n: samples.n + count,
      sumMs: samples.sumMs + count * maxMs,
      minMs: samples.minMs,
      maxMs,
      encoded: encodeHistogram(histogram),
    }
  }
  const { low, high, ...samples } = convertToSamples(figure)
  const bounds = low === undefined || high === undefined ? {} : { low: add(low), high: add(high) }
  return summarizeSamples({ ...add(samples), ...bounds }, figure.error)
}

/** Converts a figure of a document back to the samples from which it was calculated. */
export function convertToSamples({ n, mean, min, max, histogram, bounds }: LoadFigure): HistogramResult {
  const samplesOf = (ends: BoundDistribution): SamplesResult => ({
    n,
    sumMs: ends.mean * n,
    minMs: ends.min,
    maxMs: ends.max,
    encoded: ends.histogram,
  })
  return {
    ...samplesOf({ mean, min, max, histogram }),
    ...(bounds === undefined ? {} : { low: samplesOf(bounds.low), high: samplesOf(bounds.high) }),
  }
}

function histogramOf(parts: readonly SamplesResult[]): Histogram {
  const merged = mergeHistograms(parts.map(({ encoded }) => encoded))
  if (merged === undefined) throw new Error('samples without a histogram')
  return merged
}
