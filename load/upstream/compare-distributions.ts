import type { LoadFigure } from '../../reports/load-document.ts'
import type { AddedFigure, AddedMetricName, AddedValue, LoadUpstream } from '../../reports/load-parts-document.ts'
import { decodeHistogram, type Histogram, getPercentileMs, roundMs } from '../metrics/histogram.ts'
import { listEntries, type Measurements } from '../metrics/measurements.ts'
import { mergeFigures, mergeMeasurements } from '../metrics/merge-measurements.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { MIN_SAMPLES, type Statistic } from '../verdict/budget.ts'
import { REMOVED_SHARE } from './compare-streams.ts'
import { ADDED_METRICS } from './upstream-figures.ts'

/**
 * Compares the latencies of a gateway with those of its upstream. The same generator measured both alternately,
 * so the error of the generator affects both equally. Turns with the same index followed each other.
 */
export function compareDistributions(
  url: string,
  targetTurns: readonly Measurements[],
  upstreamTurns: readonly Measurements[],
): LoadUpstream {
  const [target, upstream] = [mergeMeasurements(targetTurns), mergeMeasurements(upstreamTurns)]
  const added: Partial<Record<AddedMetricName, AddedFigure>> = {}
  for (const metric of ADDED_METRICS) {
    const [own, other] = [sampleOf(target, metric), sampleOf(upstream, metric)]
    if (own === undefined || other === undefined) continue
    const pairs = targetTurns.flatMap((turn, index) => pairOf(turn, upstreamTurns[index], metric))
    added[metric] = subtractSamples(own, other, pairs)
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

/** Minimum average time over which an upstream sends the text of a stream, in milliseconds, to detect a buffer. */
const MIN_SPREAD_MS = 20

/**
 * Finds a gateway that sends the text of streams at once, or within a fraction of the time of its upstream. It compares
 * times, so it also finds a gateway that joins the whole text in one event.
 */
export function findHeldText(
  targetTurns: readonly Measurements[],
  upstreamTurns: readonly Measurements[],
): LoadFinding[] {
  const [targetMs, upstreamMs] = [targetTurns, upstreamTurns].map((turns) => spreadOf(mergeMeasurements(turns)))
  if (targetMs === undefined || upstreamMs === undefined || upstreamMs < MIN_SPREAD_MS) return []
  if (targetMs >= upstreamMs * REMOVED_SHARE) return []
  return [{ code: 'gateway-holds-text', params: { targetMs: roundMs(targetMs), upstreamMs: roundMs(upstreamMs) } }]
}

/** Returns the average time from the first token to the end of a stream, in milliseconds. */
function spreadOf({ metrics }: Measurements): number | undefined {
  const { ttftMs, e2eMs } = metrics['chat-stream'] ?? {}
  return ttftMs === undefined || e2eMs === undefined ? undefined : e2eMs.mean - ttftMs.mean
}

interface Sample {
  readonly figure: LoadFigure
  readonly histogram: Histogram
  /**
   * Number of independent values. The inter-token latencies of a stream depend on each other. Therefore, a
   * stream counts as one value.
   */
  readonly independent: number
}

function figureOf({ metrics }: Measurements, metric: AddedMetricName): LoadFigure | undefined {
  const figures = listEntries(metrics).flatMap(([, own]) => own[metric] ?? [])
  return figures.length === 0 ? undefined : mergeFigures(figures)
}

function sampleOf(measurements: Measurements, metric: AddedMetricName): Sample | undefined {
  const figure = figureOf(measurements, metric)
  if (figure === undefined) return undefined
  const streams = metric === 'itlMs' ? figureOf(measurements, 'ttftMs')?.n : undefined
  return { figure, histogram: decodeHistogram(figure.histogram), independent: Math.min(figure.n, streams ?? figure.n) }
}

type Pair = readonly [own: Sample, other: Sample]

function pairOf(own: Measurements, other: Measurements | undefined, metric: AddedMetricName): Pair[] {
  const [a, b] = [sampleOf(own, metric), other && sampleOf(other, metric)]
  return a === undefined || b === undefined ? [] : [[a, b]]
}

function subtractSamples(own: Sample, other: Sample, pairs: readonly Pair[]): AddedFigure {
  const at = (share: number): AddedValue => {
    const valueOf = ({ histogram }: Sample) => getPercentileMs(histogram, share * 100)
    const [above, below] = [boundPercentile(own, share), boundPercentile(other, share)]
    const sampling = { lowMs: subtract(above.lowMs, below.highMs), highMs: subtract(above.highMs, below.lowMs) }
    return widen(valueOf(own) - valueOf(other), sampling, calculateTurnErrorMs(pairs, valueOf))
  }
  const meanOf = ({ figure }: Sample) => figure.mean
  const mean = meanOf(own) - meanOf(other)
  return {
    n: Math.min(own.figure.n, other.figure.n),
    mean: widen(mean, boundMean(mean, own, other), calculateTurnErrorMs(pairs, meanOf)),
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    max: { ms: roundMs(own.figure.max - other.figure.max), lowMs: null, highMs: null },
  }
}

/** Widens the bounds of a difference to at least `errorMs` on each side. Unknown bounds stay unknown. */
function widen(ms: number, { lowMs, highMs }: Bounds, errorMs: number): AddedValue {
  return {
    ms: roundMs(ms),
    lowMs: lowMs === null ? null : roundMs(Math.min(lowMs, ms - errorMs)),
    highMs: highMs === null ? null : roundMs(Math.max(highMs, ms + errorMs)),
  }
}

/** Quantiles of Student's t distribution for a two-sided interval of 98 %, by degrees of freedom from 1. */
const T = [31.821, 6.965, 4.541] as const

/**
 * Calculates half the width of a 98 % confidence interval from the differences of the turns. A service that is
 * slower in some turns than in others varies more than its samples alone show.
 */
function calculateTurnErrorMs(pairs: readonly Pair[], valueOf: (sample: Sample) => number): number {
  const quantile = T[Math.min(pairs.length - 2, T.length - 1)]
  if (quantile === undefined) return 0
  const differences = pairs.map(([own, other]) => valueOf(own) - valueOf(other))
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length
  const variance = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (differences.length - 1)
  return quantile * Math.sqrt(variance / differences.length)
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
 * independent values.
 */
function boundPercentile({ histogram, independent }: Sample, share: number): Bounds {
  const { low, high } = rankBounds(independent, share)
  const valueAt = (rank: number) =>
    rank < 1 || rank > independent ? null : getPercentileMs(histogram, (100 * rank) / independent)
  return { lowMs: valueAt(low), highMs: valueAt(high) }
}

function rankBounds(independent: number, share: number) {
  const half = Z * Math.sqrt(independent * share * (1 - share))
  return { low: Math.floor(independent * share - half), high: Math.ceil(independent * share + half) + 1 }
}

/**
 * Returns the number of independent values of each service with which a percentile of the added latency has an interval. An
 * interval that is narrow enough for a budget may need more.
 */
export function countIntervalSamples(statistic: Statistic): number {
  if (statistic === 'max' || statistic === 'mean') return MIN_SAMPLES[statistic]
  for (let n = MIN_SAMPLES[statistic]; ; n += 1) {
    const { low, high } = rankBounds(n, Number(statistic.slice(1)) / 100)
    if (low >= 1 && high <= n) return n
  }
}

function subtract(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b
}

/** Returns a confidence interval of a difference of means. The bounds are null if a sample has only one independent value. */
function boundMean(mean: number, own: Sample, other: Sample): Bounds {
  if (Math.min(own.independent, other.independent) < 2) return { lowMs: null, highMs: null }
  const varianceMs = ({ histogram, independent }: Sample) => (histogram.stdDeviation / 1000) ** 2 / (independent - 1)
  const halfMs = Z * Math.sqrt(varianceMs(own) + varianceMs(other))
  return { lowMs: mean - halfMs, highMs: mean + halfMs }
}
