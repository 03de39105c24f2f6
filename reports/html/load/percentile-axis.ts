import type { LoadDocument } from '../../load-document.ts'
import type { LoadBudget } from '../../load-parts-document.ts'
import type { ChartLimit } from '../charts/line-chart.ts'

/** Percentiles whose values a chart shows on hover, and on which users can set budgets. */
export const CHARTED_PERCENTILES = [
  { name: 'p50', share: 0.5 },
  { name: 'p90', share: 0.9 },
  { name: 'p95', share: 0.95 },
  { name: 'p99', share: 0.99 },
] as const

/**
 * Maps a percentile (as a fraction) to the horizontal axis. One unit further along the axis, the remaining fraction is
 * a tenth: p90 is at 1, p99 at 2.
 */
export function positionOf(share: number): number {
  return -Math.log10(1 - share)
}

const LIMIT_STATES: Readonly<Record<LoadBudget['verdict'], ChartLimit['state']>> = {
  within: 'kept',
  broken: 'broken',
  'insufficient samples': 'open',
  'not measurable': 'open',
}

/** Metric of a budget in its parts. In `images.e2e`, the operation is `images`; in `added.e2e`, it is `added`. */
interface BudgetMetric {
  readonly operation: string | undefined
  readonly metric: string
}

/** Returns the budgets on percentiles of the selected metrics as limits in a chart. */
export function listLimits({ budgets }: LoadDocument, isShown: (metric: BudgetMetric) => boolean): ChartLimit[] {
  return budgets.flatMap((budget) => {
    const percentile = CHARTED_PERCENTILES.find(({ name }) => name === budget.statistic)
    if (percentile === undefined || budget.unit !== 'ms' || !isShown(splitMetric(budget.metric))) return []
    const { limit, verdict } = budget
    return [
      { x: positionOf(percentile.share), y: limit, label: formatLimitLabel(budget), state: LIMIT_STATES[verdict] },
    ]
  })
}

function splitMetric(name: string): BudgetMetric {
  const parts = name.split('.')
  return { operation: parts.length > 1 ? parts[0] : undefined, metric: parts.at(-1) ?? name }
}

/**
 * Formats a budget without its metric, which is the title of the chart: `images p95 <= 300 ms`. Charts of added latency
 * have it in their title, too.
 */
export function formatLimitLabel({ metric: name, statistic, op, limit }: LoadBudget): string {
  const { operation } = splitMetric(name)
  const prefix = operation === undefined || operation === 'added' ? '' : `${operation} `
  return `${prefix}${statistic} ${op} ${limit} ms`
}
