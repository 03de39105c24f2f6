import type { LoadDocument, SeriesEntry } from '../../load-document.ts'
import { formatDuration, formatNumber } from '../../load-verdict.ts'
import { type ChartLine, type ChartContent, renderLineChart, type ChartPoint } from '../charts/line-chart.ts'
import { html, type Markup } from '../markup.ts'

/** Maximum number of points of a line. More points could not be distinguished. */
const MAX_POINTS = 300

/** Renders the time series of a run: request rate, requests in flight, and TTFT. */
export function renderSeriesCharts({ series }: LoadDocument): Markup[] {
  if (series.length < 2) return []
  const { buckets, widthS } = bucketsOf(series)
  const common = { xLabel: 'time since the start', xTicks: timeTicks(series.at(-1)?.atS ?? 0) }
  const charts: ChartContent[] = [
    {
      ...common,
      id: 'series-rate',
      title: 'Requests per second',
      description: describe('Requests per second', buckets, (bucket) => bucket.ok + bucket.failed),
      yLabel: 'per second',
      lines: [lineOf('ok', 0, buckets, ({ ok }) => ok), lineOf('failed', 1, buckets, ({ failed }) => failed)],
    },
    {
      ...common,
      id: 'series-in-flight',
      title: 'Requests in flight',
      description: describe('Requests in flight', buckets, ({ inFlight }) => inFlight),
      yLabel: 'at once',
      lines: [lineOf('in flight', 0, buckets, ({ inFlight }) => inFlight)],
    },
  ]
  if (buckets.some(({ p50 }) => p50 !== null)) {
    charts.push({
      ...common,
      id: 'series-ttft',
      title: 'Time to first token over the run',
      description: describe(
        'The 99th percentile of the time to the first token, in milliseconds',
        buckets,
        ({ p99 }) => p99,
      ),
      yLabel: 'milliseconds',
      lines: [lineOf('p50', 0, buckets, ({ p50 }) => p50), lineOf('p99', 1, buckets, ({ p99 }) => p99)],
    })
  }
  const note =
    widthS > 1 &&
    html`<p class="muted">
      A point covers ${formatDuration(widthS)}. It shows the mean of the counts, the median of the p50 values and the
      highest p99.
    </p>`
  return [
    html`<div class="charts">${charts.map(renderLineChart)}</div>
      ${note}`,
  ]
}

interface Bucket {
  readonly atS: number
  readonly ok: number
  readonly failed: number
  readonly inFlight: number
  readonly p50: number | null
  readonly p99: number | null
}

function bucketsOf(series: readonly SeriesEntry[]): { buckets: Bucket[]; widthS: number } {
  const [first, second] = series
  const stepS = Math.max(0.001, (second?.atS ?? 1) - (first?.atS ?? 0))
  const size = Math.ceil(series.length / MAX_POINTS)
  const buckets: Bucket[] = []
  for (let from = 0; from < series.length; from += size) {
    const entries = series.slice(from, from + size)
    const seconds = entries.length * stepS
    buckets.push({
      atS: entries[0]?.atS ?? 0,
      ok: sum(entries.map(({ ok }) => ok)) / seconds,
      failed: sum(entries.map(({ failed }) => failed)) / seconds,
      inFlight: sum(entries.map(({ inFlight }) => inFlight)) / entries.length,
      p50: present(
        entries.map(({ ttftP50Ms }) => ttftP50Ms),
        (sorted) => sorted[sorted.length >> 1],
      ),
      p99: present(
        entries.map(({ ttftP99Ms }) => ttftP99Ms),
        (sorted) => sorted.at(-1),
      ),
    })
  }
  return { buckets, widthS: size * stepS }
}

function present(
  values: readonly (number | null)[],
  choose: (sorted: readonly number[]) => number | undefined,
): number | null {
  return choose(values.filter((value) => value !== null).toSorted((a, b) => a - b)) ?? null
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function lineOf(
  name: string,
  slot: number,
  buckets: readonly Bucket[],
  valueOf: (bucket: Bucket) => number | null,
): ChartLine {
  const points = buckets.map((bucket): ChartPoint => {
    const y = valueOf(bucket)
    return { x: bucket.atS, y, tooltip: `${name} at ${formatDuration(bucket.atS)}: ${formatNumber(y ?? 0)}` }
  })
  return { name, slot, points }
}

function describe(what: string, buckets: readonly Bucket[], valueOf: (bucket: Bucket) => number | null): string {
  const points = buckets.flatMap((bucket) => {
    const value = valueOf(bucket)
    return value === null ? [] : [{ atS: bucket.atS, value }]
  })
  const [low, high] = [points.toSorted((a, b) => a.value - b.value)[0], points.toSorted((a, b) => b.value - a.value)[0]]
  if (low === undefined || high === undefined) return `${what}: nothing measured.`
  return `${what}: from ${formatNumber(low.value)} to ${formatNumber(high.value)}, highest ${formatDuration(high.atS)} after the start.`
}

/** Chooses round times for the ticks of the time axis, at most seven. */
function timeTicks(lastS: number): { x: number; label: string }[] {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400]
  const step = steps.find((candidate) => lastS / candidate <= 6) ?? Math.ceil(lastS / 6)
  return Array.from({ length: Math.floor(lastS / step) + 1 }, (_, index) => ({
    x: index * step,
    label: index === 0 ? '0' : clockWords(index * step),
  }))
}

function clockWords(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600 && seconds % 60 === 0) return `${seconds / 60} min`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`
  return `${formatNumber(seconds / 3600)} h`
}
