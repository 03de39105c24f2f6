import { ADDED_LABELS, ADDED_STATISTICS, formatSignedMs, isKnown } from '../../added-latency.ts'
import type { LoadDocument } from '../../load-document.ts'
import { ADDED_METRICS, type AddedFigure, type AddedMetricName, type LoadUpstream } from '../../load-parts-document.ts'
import { type ChartPoint, renderLineChart } from '../charts/line-chart.ts'
import type { Markup } from '../markup.ts'
import { CHARTED_PERCENTILES, listLimits, positionOf } from './percentile-axis.ts'

/** Renders a chart of each metric of added latency, with the bounds of each percentile and the budgets on it. */
export function renderAddedCharts(document: LoadDocument): Markup[] {
  return ADDED_METRICS.flatMap((metric) => {
    const figure = document.upstream?.added[metric]
    return figure === undefined || isWithoutLatency(figure, document.upstream?.method ?? 'record')
      ? []
      : [renderAddedChart(document, metric, figure)]
  })
}

/** Returns whether all known values of a metric are 0, for instance the ITL of streams that arrive in one piece. */
function isWithoutLatency(figure: AddedFigure, method: LoadUpstream['method']): boolean {
  return ADDED_STATISTICS.every((statistic) => figure[statistic].ms === 0 || !isKnown(figure[statistic], method))
}

function renderAddedChart(document: LoadDocument, metric: AddedMetricName, figure: AddedFigure): Markup {
  const title = `Added ${ADDED_LABELS[metric]}`
  const method = document.upstream?.method ?? 'record'
  const points = CHARTED_PERCENTILES.filter(({ name }) => isKnown(figure[name], method)).map(
    ({ name, share }): ChartPoint => {
      const { ms, lowMs, highMs } = figure[name]
      const tooltip = `${name}: ${formatSignedMs(ms)} ms`
      const point = { x: positionOf(share), y: ms }
      if (lowMs === null || highMs === null) return { ...point, tooltip }
      const bounds = `${formatSignedMs(lowMs)} to ${formatSignedMs(highMs)} ms`
      return { ...point, tooltip: `${tooltip} (${bounds})`, range: { low: lowMs, high: highMs } }
    },
  )
  return renderLineChart({
    id: `added-${metric}`,
    title,
    description: `${title} by percentile. ${points.map(({ tooltip }) => tooltip).join('; ')}.`,
    xLabel: 'percentile',
    yLabel: 'milliseconds',
    xTicks: CHARTED_PERCENTILES.map(({ name, share }) => ({ x: positionOf(share), label: name })),
    lines: [{ name: title, slot: 0, points }],
    limits: listLimits(
      document,
      (budget) => budget.operation === 'added' && budget.metric === metric.replace(/Ms$/, ''),
    ),
  })
}
