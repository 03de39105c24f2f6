import { formatPlural } from '../../../common/format-count.ts'
import type { LoadDocument } from '../../load-document.ts'
import type { LoadSearch, LoadSearchStep } from '../../load-parts-document.ts'
import { formatNumber } from '../../load-verdict.ts'
import { describeSearchCost, listSearchColumns, listSearchRows } from '../../search-steps.ts'
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
  { metric: 'ttft', title: 'Time to first token by load' },
  { metric: 'e2e', title: 'End-to-end latency by load' },
] as const

/** Budget verdict whose colour each outcome of a measured level has. */
const VERDICT_KINDS: Readonly<Record<string, string>> = { holds: 'within', broken: 'broken' }

/**
 * Renders a table of all measured levels, and charts of latency, goodput and failures by level. The charts mark the
 * highest level that meets all budgets.
 */
export function renderSearch(document: LoadDocument): HtmlValue {
  const { search } = document
  if (search === undefined) return undefined
  const rows = listSearchRows(search).map(([level, outcome = '', ...others]) => [
    level,
    renderVerdict(outcome, VERDICT_KINDS[outcome] ?? 'insufficient samples'),
    ...others,
  ])
  const cost = describeSearchCost(search)
  const charts = renderCharts(document, search)
  return html`${charts.length > 0 && renderNarrowDetails('Latency, goodput and failures by load', html`<div class="charts">${charts}</div>`)}
  ${
    rows.length > 0 &&
    renderNarrowDetails(
      'Measured levels',
      renderTable(
        'Measured levels, latencies in milliseconds',
        listSearchColumns(search).map((name) => ({ heading: capitalize(name), isNumber: name !== 'outcome' })),
        rows,
      ),
    )
  }
  ${cost !== undefined && html`<p>${cost}</p>`}`
}

/** Capitalizes a heading, except the name of a metric. */
function capitalize(heading: string): string {
  return /^(ttft|e2e)\b/.test(heading)
    ? heading.replace(/^\w+/, (name) => name.toUpperCase())
    : heading.replace(/^\w/, (first) => first.toUpperCase())
}

function renderCharts(document: LoadDocument, search: LoadSearch): Markup[] {
  const { steps, capacity } = search
  if (steps.length < 2) return []
  const common = { xLabel: capacity.unit, xTicks: levelTicks(steps) }
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
          lineOf(name, slot, search, (step) => step[metric]?.[field] ?? null, 'ms'),
        ),
        limits: limitsOf(document, search, metric),
      },
    ]
  })
  const goodput: ChartContent = {
    ...common,
    id: 'search-goodput',
    title: 'Goodput and failures by load',
    description: describe('Successful requests, goodput and failures per second by load', search),
    yLabel: 'requests per second',
    lines: [
      lineOf('ok', 0, search, ({ okPerSecond }) => okPerSecond, 'per second'),
      lineOf('goodput', 1, search, ({ goodPerSecond }) => goodPerSecond, 'per second'),
      lineOf('failed', 2, search, failedPerSecond, 'per second'),
    ],
    limits: markGoodput(search),
  }
  return [...latencies, goodput].map(renderLineChart)
}

function failedPerSecond({ okPerSecond, sent, failed, stopped }: LoadSearchStep): number | null {
  const ok = sent - failed - stopped
  return okPerSecond === null || ok === 0 ? null : (okPerSecond * failed) / ok
}

function lineOf(
  name: string,
  slot: number,
  { steps, capacity }: LoadSearch,
  valueOf: (step: LoadSearchStep) => number | null,
  unit: string,
): ChartLine {
  const points = steps.map((step) => {
    const y = valueOf(step)
    const value = y === null ? 'none' : `${formatNumber(y)} ${unit}`
    return { x: step.level, y, tooltip: `${name} at ${formatPlural(step.level, capacity.unit)}: ${value}` }
  })
  return { name, slot, points }
}

/**
 * Returns the latency budgets as limits at the highest level that meets all budgets, or else at the lowest level that
 * does not.
 */
function limitsOf({ budgets }: LoadDocument, { capacity: { from, to } }: LoadSearch, metric: string): ChartLimit[] {
  const x = from ?? to
  if (x === null) return []
  return budgets
    .filter((budget) => budget.unit === 'ms' && budget.metric.split('.').at(-1) === metric)
    .map((budget) => ({
      x,
      y: budget.limit,
      label: `${formatLimitLabel(budget)}${from === null ? '' : ` up to ${from}`}`,
      state: from === null ? ('broken' as const) : ('kept' as const),
    }))
}

/** Returns a mark for the goodput at the highest level that meets all budgets. */
function markGoodput({ steps, capacity: { from, to } }: LoadSearch): ChartLimit[] {
  const held = steps.find(({ level }) => level === from)
  return held === undefined || held.goodPerSecond === null
    ? []
    : [
        {
          x: held.level,
          y: held.goodPerSecond,
          label: `holds at ${held.level}${to === null ? '' : `, not at ${to}`}`,
          state: 'kept',
        },
      ]
}

function describe(what: string, { steps, capacity: { from, to, unit } }: LoadSearch): string {
  const [lowest, highest] = [steps[0]?.level ?? 0, steps.at(-1)?.level ?? 0]
  const holds = from === null ? 'The budgets hold at no level' : `The budgets hold up to ${from}`
  const broken = to === null ? '' : `, and not at ${to}`
  return `${what}, from ${lowest} to ${highest} ${unit}. ${holds}${broken}.`
}

function levelTicks(steps: readonly LoadSearchStep[]): { x: number; label: string }[] {
  const highest = steps.at(-1)?.level ?? 1
  const magnitude = 10 ** Math.floor(Math.log10(highest))
  const size = [0.2, 0.5, 1, 2].find((factor) => highest / (factor * magnitude) <= 6) ?? 2
  const stepSize = size * magnitude
  return Array.from({ length: Math.floor(highest / stepSize + 1e-9) + 1 }, (_, index) => ({
    x: index * stepSize,
    label: formatNumber(index * stepSize),
  }))
}
