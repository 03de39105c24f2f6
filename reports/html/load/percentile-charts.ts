import { findQuantile, readDistribution, type LatencyDistribution } from '../../distribution.ts'
import type { LoadDocument, LoadFigure, LoadMetricName, LoadError } from '../../load-document.ts'
import type { TimedOperation } from '../../../contract/facts.ts'
import {
  arrivedInSingleRead,
  formatNumber,
  isTextLater,
  METRIC_FIELDS,
  SINGLE_READ_NOTE,
  getReportedErrorBound,
} from '../../load-verdict.ts'
import { renderLineChart, type ChartLine, type ChartPoint } from '../charts/line-chart.ts'
import { html, type Markup } from '../markup.ts'
import { CHARTED_PERCENTILES, listLimits, positionOf } from './percentile-axis.ts'

/** Titles of the metrics, in the order of the table of latencies. */
export const METRIC_LABELS: Readonly<Record<LoadMetricName, string>> = {
  ttftMs: 'Time to first token (TTFT)',
  textTtftMs: 'Time to first text',
  itlMs: 'Inter-token latency (ITL)',
  tpotMs: 'Time per output token (TPOT)',
  e2eMs: 'End-to-end latency (E2E)',
  startLagMs: 'Scheduling delay (start lag)',
  blockedMs: 'Wait for a connection (blocked)',
  connectingMs: 'Opening a connection (connecting)',
  tlsMs: 'TLS handshake',
}

/** Metrics that have a chart, in display order. The table of latencies shows all metrics. */
export const CHARTED_METRICS = ['ttftMs', 'textTtftMs', 'itlMs', 'tpotMs', 'e2eMs', 'startLagMs'] as const
export const TIMED_OPERATIONS = ['chat-stream', 'chat', 'images', 'speech', 'transcriptions', 'models'] as const

const STEPS = 120

/**
 * Renders a chart for each metric, and a note about the metrics without a chart. The horizontal axis shows percentiles,
 * the vertical axis latencies.
 */
export function renderPercentileCharts(document: LoadDocument): Markup[] {
  const hasLaterText = Object.values(document.metrics).some(isTextLater)
  const measured = CHARTED_METRICS.filter((metric) => metric !== 'textTtftMs' || hasLaterText)
    .map((metric) => ({ metric, figures: selectFigures(document, metric) }))
    .filter(({ figures }) => figures.length > 0)
  if (measured.length === 0) return []
  const charted = measured.filter(({ metric, figures }) => !isSingleRead(metric, figures))
  const omitted = measured.filter(({ metric, figures }) => isSingleRead(metric, figures))
  return [
    html`<div class="charts">${charted.map(({ metric, figures }) => percentileChart(document, metric, figures))}</div>`,
    ...(omitted.length === 0 ? [] : [renderSingleReadNote(omitted.map(({ metric }) => metric))]),
  ]
}

function isSingleRead(metric: LoadMetricName, figures: readonly Measured[]): boolean {
  return figures.every(({ figure }) => arrivedInSingleRead(metric, figure))
}

/** Renders a note instead of charts whose values are all 0, because these charts would look empty. */
function renderSingleReadNote(metrics: readonly LoadMetricName[]): Markup {
  const names = metrics.map((metric, index) =>
    index === 0 ? METRIC_LABELS[metric] : METRIC_LABELS[metric].replace(/^[A-Z]/, (first) => first.toLowerCase()),
  )
  return html`<p>${names.join(' and ')}: ${SINGLE_READ_NOTE}.</p>`
}

interface Measured {
  readonly operation: TimedOperation
  readonly figure: LoadFigure
}

/** Returns the figures of all operations that have samples of a metric. */
export function selectFigures({ metrics }: LoadDocument, metric: LoadMetricName): Measured[] {
  return TIMED_OPERATIONS.flatMap((operation) => {
    const figure = metrics[operation]?.[metric]
    return figure === undefined || figure.n === 0 ? [] : [{ operation, figure }]
  })
}

function percentileChart(document: LoadDocument, metric: LoadMetricName, figures: readonly Measured[]): Markup {
  const lines = figures.flatMap(({ operation, figure }) => curveOf(operation, figure))
  if (lines.length === 0) {
    return html`<p>${METRIC_LABELS[metric]}: the histograms of this document cannot be read.</p>`
  }
  const furthest = Math.max(...lines.flatMap(({ points }) => points.map(({ x }) => x)))
  const received = figures.map(({ operation, figure }) => `${operation}: p50 ${figure.p50} ms, p99 ${figure.p99} ms`)
  return renderLineChart({
    id: `percentiles-${metric}`,
    title: METRIC_LABELS[metric],
    description: `${METRIC_LABELS[metric]} by percentile. ${received.join('; ')}.`,
    xLabel: 'percentile',
    yLabel: 'milliseconds',
    xTicks: [0, 50, 90, 99, 99.9, 99.99, 99.999]
      .map((percent) => ({ x: positionOf(percent / 100), label: `p${percent}` }))
      .filter(({ x }) => x <= furthest + 0.01 && (x !== positionOf(0.5) || furthest < 4)),
    lines,
    limits: listLimits(document, (budget) => budget.operation !== 'added' && METRIC_FIELDS[budget.metric] === metric),
  })
}

function curveOf(operation: TimedOperation, figure: LoadFigure): ChartLine[] {
  const distribution = tryRead(figure.histogram)
  if (distribution === undefined) return []
  const furthest = Math.max(positionOf(0.9), Math.log10(distribution.n))
  const rangeAt = createErrorBand(figure)
  const curve = Array.from({ length: STEPS + 1 }, (_, step): ChartPoint => {
    const x = (furthest * step) / STEPS
    return withRange({ x, y: findQuantile(distribution, 1 - 10 ** -x) ?? null }, rangeAt)
  })
  const labelled = CHARTED_PERCENTILES.map(({ name, share }): ChartPoint => {
    const y = findQuantile(distribution, share) ?? null
    const tooltip = `${operation} ${name}: ${y === null ? 'none' : formatNumber(y)} ms`
    return withRange({ x: positionOf(share), y, tooltip }, rangeAt)
  })
  const points = [...curve, ...labelled].toSorted((a, b) => a.x - b.x)
  return [{ name: operation, slot: TIMED_OPERATIONS.indexOf(operation), points }]
}

function withRange(point: ChartPoint, rangeAt: ErrorBand | undefined): ChartPoint {
  const range = point.y === null ? undefined : rangeAt?.(point.x, point.y)
  return range === undefined ? point : { ...point, range }
}

/** Returns the error band of a percentile, given its position on the axis and its value in milliseconds. */
type ErrorBand = (x: number, ms: number) => { readonly low: number; readonly high: number }

/**
 * Creates the error band of a figure: the percentiles of the lower and of the upper bounds of its samples. Without
 * bounds of samples, the band interpolates the error bounds of p50, p90, p95 and p99. Returns undefined if the error is
 * unknown.
 */
export function createErrorBand({ bounds, error }: LoadFigure): ErrorBand | undefined {
  const low = bounds === undefined ? undefined : tryRead(bounds.low.histogram)
  const high = bounds === undefined ? undefined : tryRead(bounds.high.histogram)
  if (low !== undefined && high !== undefined) {
    return (x, ms) => {
      const share = 1 - 10 ** -x
      return { low: Math.min(ms, findQuantile(low, share) ?? ms), high: Math.max(ms, findQuantile(high, share) ?? ms) }
    }
  }
  if (error === null) return undefined
  return (x, ms) => {
    const bound = interpolateBound(error, x)
    return { low: Math.max(0, ms - bound), high: ms + bound }
  }
}

function interpolateBound(error: LoadError, x: number): number {
  const bounds = CHARTED_PERCENTILES.map(({ name, share }) => ({
    x: positionOf(share),
    ms: getReportedErrorBound(error, name),
  }))
  const right = bounds.find((bound) => bound.x >= x) ?? bounds.at(-1)
  const left = bounds.findLast((bound) => bound.x <= x) ?? right
  if (left === undefined || right === undefined) return 0
  const fraction = right.x === left.x ? 0 : (x - left.x) / (right.x - left.x)
  return left.ms + fraction * (right.ms - left.ms)
}

/** Reads a histogram. Returns undefined for an invalid one, which a document of a different program may contain. */
function tryRead(histogram: string): LatencyDistribution | undefined {
  try {
    return readDistribution(histogram)
  } catch {
    return undefined
  }
}
