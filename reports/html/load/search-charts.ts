import type { LoadDocument } from '../../load-document.ts'
import type { LoadSearch, LoadSearchStep } from '../../load-parts-document.ts'
import { formatNumber, formatRate } from '../../load-verdict.ts'
import { describeSearchCost, listSearchRows, SEARCH_COLUMNS } from '../../search-steps.ts'
import { type ChartLimit, type ChartLine, type ChartContent, renderLineChart } from '../charts/line-chart.ts'
import { html, type HtmlValue, type Markup } from '../markup.ts'
import { renderNarrowDetails, renderTable, renderVerdict } from '../elements.ts'
import { formatLimitLabel } from './percentile-axis.ts'

/** Statistics of a latency that the charts show, and their field names in documents. */
const PERCENTILES = [
  ['p50', 'p50Ms'],
  ['p90', 'p90Ms'],
  ['p99', 'p99Ms'],
] as const

const METRICS = [
  { metric: 'ttft', title: 'Time to first token by rate' },
  { metric: 'e2e', title: 'End-to-end latency by rate' },
] as const

/** Budget verdict whose colour each outcome of a measured rate has. */
const VERDICT_KINDS: Readonly<Record<string, string>> = { holds: 'within', broken: 'broken' }

/**
 * Renders a table of all measured rates, and charts of latency and throughput by rate. The charts mark the highest rate
 * that meets all budgets.
 */
export function renderSearch(document: LoadDocument): HtmlValue {
  const { search } = document
  if (search === undefined) return undefined
  const rows = listSearchRows(search).map(([rate, outcome = '', ...others]) => [
    rate,
    renderVerdict(outcome, VERDICT_KINDS[outcome] ?? 'insufficient samples'),
    ...others,
  ])
  const cost = describeSearchCost(search)
  const charts = renderCharts(document, search)
  return html`${
    rows.length > 0 &&
    renderNarrowDetails(
      'Measured rates',
      renderTable(
        'Measured rates, latencies in milliseconds',
        SEARCH_COLUMNS.map((name) => ({ heading: capitalize(name), isNumber: name !== 'outcome' })),
        rows,
      ),
    )
  }
  ${cost !== undefined && html`<p>${cost}</p>`}
  ${charts.length > 0 && renderNarrowDetails('Latency and throughput by rate', html`<div class="charts">${charts}</div>`)}`
}

/** Capitalizes a heading, except the name of a metric. */
function capitalize(heading: string): string {
  return /^(ttft|e2e)\b/.test(heading)
    ? heading.replace(/^\w+/, (name) => name.toUpperCase())
    : heading.replace(/^\w/, (first) => first.toUpperCase())
}

function renderCharts(document: LoadDocument, search: LoadSearch): Markup[] {
  const { steps } = search
  if (steps.length < 2) return []
  const common = { xLabel: 'requests per second', xTicks: rateTicks(steps) }
  const latencies = METRICS.flatMap(({ metric, title }): ChartContent[] => {
    if (steps.every((step) => step[metric] === null)) return []
    return [
      {
        ...common,
        id: `search-${metric}`,
        title,
        description: describe(title, search),
        yLabel: 'milliseconds',
        lines: PERCENTILES.map(([name, field], slot) =>
          lineOf(name, slot, steps, (step) => step[metric]?.[field] ?? null, 'ms'),
        ),
        limits: limitsOf(document, search, metric),
      },
    ]
  })
  const throughput: ChartContent = {
    ...common,
    id: 'search-throughput',
    title: 'Throughput by rate',
    description: describe('Successful requests per second by rate', search),
    yLabel: 'ok per second',
    lines: [
      lineOf('ok', 0, steps, ({ okPerSecond }) => okPerSecond, 'per second'),
      lineOf('planned', 1, steps, ({ rate }) => rate, 'per second'),
    ],
    limits: markThroughput(search),
  }
  return [...latencies, throughput].map(renderLineChart)
}

function lineOf(
  name: string,
  slot: number,
  steps: readonly LoadSearchStep[],
  valueOf: (step: LoadSearchStep) => number | null,
  unit: string,
): ChartLine {
  const points = steps.map((step) => {
    const y = valueOf(step)
    const value = y === null ? 'none' : `${formatNumber(y)} ${unit}`
    return { x: step.rate, y, tooltip: `${name} at ${formatRate(step.rate)}: ${value}` }
  })
  return { name, slot, points }
}

/**
 * Returns the latency budgets as limits at the highest rate that meets all budgets, or else at the lowest rate that
 * does not.
 */
function limitsOf({ budgets }: LoadDocument, search: LoadSearch, metric: string): ChartLimit[] {
  const x = search.holdsAtRate ?? search.brokenAtRate
  if (x === null) return []
  return budgets
    .filter((budget) => budget.unit === 'ms' && budget.metric.split('.').at(-1) === metric)
    .map((budget) => ({
      x,
      y: budget.limit,
      label: `${formatLimitLabel(budget)}${search.holdsAtRate === null ? '' : ` up to ${x}/s`}`,
      state: search.holdsAtRate === null ? ('broken' as const) : ('kept' as const),
    }))
}

/** Returns a mark for the throughput at the highest rate that meets all budgets. */
function markThroughput({ steps, holdsAtRate }: LoadSearch): ChartLimit[] {
  const knee = steps.find(({ rate }) => rate === holdsAtRate)
  return knee === undefined
    ? []
    : [{ x: knee.rate, y: knee.okPerSecond, label: `budgets hold up to ${knee.rate}/s`, state: 'kept' }]
}

function describe(what: string, { steps, holdsAtRate, brokenAtRate }: LoadSearch): string {
  const [lowest, highest] = [steps[0]?.rate ?? 0, steps.at(-1)?.rate ?? 0]
  const holds = holdsAtRate === null ? 'The budgets hold at no rate' : `The budgets hold up to ${holdsAtRate}`
  const broken = brokenAtRate === null ? '' : `, and not at ${brokenAtRate}`
  return `${what}, from ${lowest} to ${highest} requests per second. ${holds}${broken}.`
}

function rateTicks(steps: readonly LoadSearchStep[]): { x: number; label: string }[] {
  const highest = steps.at(-1)?.rate ?? 1
  const magnitude = 10 ** Math.floor(Math.log10(highest))
  const size = [0.2, 0.5, 1, 2].find((factor) => highest / (factor * magnitude) <= 6) ?? 2
  const stepSize = size * magnitude
  return Array.from({ length: Math.floor(highest / stepSize + 1e-9) + 1 }, (_, index) => ({
    x: index * stepSize,
    label: formatNumber(index * stepSize),
  }))
}
