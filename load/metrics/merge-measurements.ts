import type {
  LoadFigure,
  LoadMetricName,
  OperationCounts,
  SeriesEntry,
  StreamViolation,
} from '../../reports/load-document.ts'
import type { TimedOperation } from '../../contract/facts.ts'
import { addOutput, listEntries, type Measurements, buildSeriesEntry, sumCounts, sumTokens } from './measurements.ts'
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
      bodiesCompared: sumKnown(parts.map(({ validation }) => validation.bodiesCompared)),
      checks: mergeChecks(parts.flatMap(({ validation }) => validation.checks)),
      violations: mergeViolations(parts.flatMap(({ validation }) => validation.violations)),
    },
    ...(warmUps.length === 0 ? {} : { warmUp: addWarmUps(warmUps) }),
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
  const sum = (value: (entry: SeriesEntry) => number) => group.reduce((total, entry) => total + value(entry), 0)
  return buildSeriesEntry({
    atS,
    requests: sum(({ requests }) => requests),
    ok: sum(({ ok }) => ok),
    failed: sum(({ failed }) => failed),
    inFlight: sum(({ inFlight }) => inFlight),
    ttft: ttft === undefined ? null : encodeHistogram(ttft),
  })
}

function mergeRequests(parts: readonly Measurements['requests'][]): Measurements['requests'] {
  const sum = (value: (part: Measurements['requests']) => number) =>
    parts.reduce((total, part) => total + value(part), 0)
  const byOperation: Partial<Record<TimedOperation, OperationCounts>> = {}
  for (const [name, counts] of parts.flatMap((part) => listEntries(part.byOperation))) {
    byOperation[name] = addCounts(byOperation[name], counts)
  }
  return {
    planned: parts.some(({ planned }) => planned === null) ? null : sum(({ planned }) => planned ?? 0),
    sent: sum(({ sent }) => sent),
    ok: sum(({ ok }) => ok),
    failed: sum(({ failed }) => failed),
    aborted: sum(({ aborted }) => aborted),
    dropped: sum(({ dropped }) => dropped),
    byStatus: sumCounts(parts.map(({ byStatus }) => byStatus)),
    byError: sumCounts(parts.map(({ byError }) => byError)),
    byOperation,
  }
}

function addCounts(before: OperationCounts | undefined, counts: OperationCounts): OperationCounts {
  if (before === undefined) return counts
  return {
    sent: before.sent + counts.sent,
    ok: before.ok + counts.ok,
    failed: before.failed + counts.failed,
    aborted: before.aborted + counts.aborted,
    good: before.good + counts.good,
    ...(before.output === undefined || counts.output === undefined
      ? {}
      : { output: addOutput(before.output, counts.output) }),
  }
}

function addWarmUps(parts: readonly NonNullable<Measurements['warmUp']>[]): NonNullable<Measurements['warmUp']> {
  const sum = (name: keyof (typeof parts)[number]) => parts.reduce((total, part) => total + part[name], 0)
  return { sent: sum('sent'), ok: sum('ok'), failed: sum('failed'), aborted: sum('aborted') }
}

function sumKnown(counts: readonly (number | null)[]): number | null {
  return counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0)
}

function mergeChecks(checks: Measurements['validation']['checks']): Measurements['validation']['checks'] {
  return [...Map.groupBy(checks, ({ name }) => name)].map(([name, group]) => ({
    name,
    passes: group.reduce((sum, { passes }) => sum + passes, 0),
    fails: group.reduce((sum, { fails }) => sum + fails, 0),
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
