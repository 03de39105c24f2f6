import type {
  LoadFigure,
  LoadMetricName,
  OperationCounts,
  SeriesEntry,
  StreamViolation,
} from '../../reports/load-document.ts'
import type { TimedOperation } from '../../contract/facts.ts'
import { listEntries, type Measurements, buildSeriesEntry, sumCounts, sumTokens } from './measurements.ts'
import { type MeasurementError, summarizeSamples, getErrorBound, mergeSamples, convertToSamples } from './figure.ts'
import { encodeHistogram, mergeHistograms } from './histogram.ts'

/** Merges the measurements of several processes. Adds counts and histogram buckets. */
export function mergeMeasurements(parts: readonly Measurements[]): Measurements {
  const starts = parts.map(({ startedAt }) => Date.parse(startedAt))
  const startedAtUnixMs = Math.min(...starts)
  const warmUps = parts.flatMap(({ warmUp }) => warmUp ?? [])
  const endedAtUnixMs = Math.max(...parts.map(({ durationMs }, index) => (starts[index] ?? 0) + durationMs))
  return {
    startedAt: new Date(startedAtUnixMs).toISOString(),
    durationMs: endedAtUnixMs - startedAtUnixMs,
    metrics: mergeMetrics(parts.map(({ metrics }) => metrics)),
    series: mergeSeries(parts, startedAtUnixMs),
    requests: mergeRequests(parts.map(({ requests }) => requests)),
    validation: {
      streams: parts.reduce((sum, { validation }) => sum + validation.streams, 0),
      checks: mergeChecks(parts.flatMap(({ validation }) => validation.checks)),
      violations: mergeViolations(parts.flatMap(({ validation }) => validation.violations)),
    },
    ...(warmUps.length === 0 ? {} : { warmUp: sumCounts(warmUps) }),
    tokens: sumTokens(parts.map(({ tokens }) => tokens)),
  }
}

type Figures = Partial<Record<LoadMetricName, LoadFigure>>

function mergeMetrics(parts: readonly Measurements['metrics'][]): Measurements['metrics'] {
  const merged: Partial<Record<TimedOperation, Figures>> = {}
  for (const [operation, metrics] of parts.flatMap((part) => listEntries(part))) {
    const into = (merged[operation] ??= {})
    // The cast is safe: `Object.entries` loses the types of the keys, which are metric names.
    for (const [name, figure] of Object.entries(metrics) as [LoadMetricName, LoadFigure][]) {
      const before = into[name]
      into[name] = before === undefined ? figure : mergeFigures([before, figure])
    }
  }
  return merged
}

/**
 * Merges the samples of several figures. If a figure has no bounds, the merged error is the largest error of all
 * figures.
 */
export function mergeFigures(figures: readonly LoadFigure[]): LoadFigure {
  const samples = mergeSamples(figures.map(convertToSamples))
  if (samples === undefined) throw new Error('a figure without samples')
  return summarizeSamples(samples, worstError(figures))
}

/** Returns the largest error of the figures, or null if one of the errors is unknown. */
function worstError(figures: readonly LoadFigure[]): MeasurementError | null {
  const errors = figures.flatMap(({ error }) => error ?? [])
  return errors.length < figures.length || errors.length === 0 ? null : findWidestError(errors)
}

/** Returns the smallest error bounds that include all given bounds. */
export function findWidestError(errors: readonly MeasurementError[]): MeasurementError {
  const widest = (statistic: 'p50' | 'p90' | 'p95' | 'p99' | 'max') =>
    Math.max(...errors.map((error) => getErrorBound(error, statistic)))
  return {
    biasMs: errors.reduce((worst, { biasMs }) => (Math.abs(biasMs) > Math.abs(worst) ? biasMs : worst), 0),
    p50Ms: widest('p50'),
    p90Ms: widest('p90'),
    p95Ms: widest('p95'),
    p99Ms: widest('p99'),
    maxMs: widest('max'),
  }
}

function mergeSeries(parts: readonly Measurements[], startedAtUnixMs: number): SeriesEntry[] {
  const seconds = parts.flatMap(({ startedAt, series }) => {
    const laterS = Math.round((Date.parse(startedAt) - startedAtUnixMs) / 1000)
    return series.map((entry) => ({ ...entry, atS: entry.atS + laterS }))
  })
  const groups = Map.groupBy(seconds, ({ atS }) => atS)
  return [...groups].toSorted(([a], [b]) => a - b).map(([atS, group]) => mergeSecond(atS, group))
}

function mergeSecond(atS: number, group: readonly SeriesEntry[]): SeriesEntry {
  const ttft = mergeHistograms(group.flatMap(({ ttft }) => (ttft === null ? [] : [ttft])))
  const counts = group.map(({ requests, ok, failed, inFlight }) => ({ requests, ok, failed, inFlight }))
  return buildSeriesEntry({
    atS,
    ...sumCounts(counts),
    ttft: ttft === undefined ? null : encodeHistogram(ttft),
  })
}

function mergeRequests(parts: readonly Measurements['requests'][]): Measurements['requests'] {
  const byOperation = Map.groupBy(
    parts.flatMap((part) => listEntries(part.byOperation)),
    ([name]) => name,
  )
  const counts = parts.map(({ sent, ok, failed, aborted, dropped }) => ({ sent, ok, failed, aborted, dropped }))
  return {
    planned: sumKnown(parts.map(({ planned }) => planned)),
    ...sumCounts(counts),
    byStatus: sumCounts(parts.map(({ byStatus }) => byStatus)),
    byError: sumCounts(parts.map(({ byError }) => byError)),
    byOperation: Object.fromEntries(
      [...byOperation].map(([name, group]) => [name, addOperations(group.map(([, one]) => one))]),
    ),
  }
}

function addOperations(parts: readonly OperationCounts[]): OperationCounts {
  const outputs = parts.flatMap(({ output }) => output ?? [])
  const counts = parts.map(({ sent, ok, failed, aborted, good }) => ({ sent, ok, failed, aborted, good }))
  return {
    ...sumCounts(counts),
    ...(outputs.length < parts.length ? {} : { output: sumCounts(outputs) }),
  }
}

function sumKnown(counts: readonly (number | null)[]): number | null {
  return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0)
}

function mergeChecks(checks: Measurements['validation']['checks']): Measurements['validation']['checks'] {
  return [...Map.groupBy(checks, ({ name }) => name)].map(([name, group]) => ({
    name,
    ...sumCounts(group.map(({ passes, fails }) => ({ passes, fails }))),
  }))
}

function mergeViolations(violations: readonly StreamViolation[]): StreamViolation[] {
  const groups = Map.groupBy(violations, ({ kind }) => kind)
  return [...groups.values()].map((group) => ({
    kind: group[0]?.kind ?? '',
    count: group.reduce((sum, { count }) => sum + count, 0),
    example: group[0]?.example ?? '',
  }))
}
