import type { ProgressResult } from '../../scenarios/lib/extension-result.ts'
import type { TrafficSettings } from '../../scenarios/lib/load-settings.ts'
import { type Budget, type CountBudget, LATENCY_METRIC_FIELDS, type LatencyBudget, MIN_SAMPLES } from './budget.ts'
import { isLimitMet, measureCount } from './measure-count.ts'

/** A latency budget in the format of the k6 extension. An empty operation means all operations. */
type WatchedBudget = NonNullable<TrafficSettings['extension']['budgets']>[number]

/** State of a budget during a run. The verdict is determined at the end from all samples and the measurement error. */
export interface BudgetProgress {
  /**
   * Whether the budget is currently met. Undefined before the first sample, and for a value that is known only at the
   * end.
   */
  readonly isKept: boolean | undefined
  /** Number of samples that an evaluation still needs. */
  readonly missing: number
  /** Percentage of samples above the limit of a percentile; undefined for other budgets. */
  readonly abovePercent?: number
}

/** Returns the latency budgets that k6 watches. `ProgressResult.budgets` has the same order. */
export function buildWatchedBudgets(budgets: readonly Budget[]): WatchedBudget[] {
  return budgets.filter(isLatencyBudget).map(({ operation, metric, limitMs }) => ({
    operation: operation ?? '',
    metric: LATENCY_METRIC_FIELDS[metric],
    limitMs,
  }))
}

export function evaluateProgress(budgets: readonly Budget[], progress: ProgressResult): BudgetProgress[] {
  const samples = (progress.budgets ?? []).values()
  return budgets.map((budget) => {
    if (isLatencyBudget(budget)) return evaluateLatency(budget, samples.next().value)
    // Added latency is known only after the run, when the records of k6 and of the upstream are joined.
    return budget.kind === 'count' ? evaluateCount(budget, progress) : { isKept: undefined, missing: 0 }
  })
}

function isLatencyBudget(budget: Budget): budget is LatencyBudget {
  return budget.kind === 'latency'
}

function evaluateLatency(
  { statistic, limitMs }: LatencyBudget,
  samples: { readonly n: number; readonly above: number; readonly sumMs: number } | undefined,
): BudgetProgress {
  const { n, above, sumMs } = samples ?? { n: 0, above: 0, sumMs: 0 }
  const missing = Math.max(0, MIN_SAMPLES[statistic] - n)
  if (n === 0) return { isKept: undefined, missing }
  if (statistic === 'mean') return { isKept: sumMs / n <= limitMs, missing }
  if (statistic === 'max') return { isKept: above === 0, missing }
  const allowedPercent = 100 - Number(statistic.slice(1))
  const abovePercent = (100 * above) / n
  return { isKept: abovePercent <= allowedPercent, missing, abovePercent }
}

function evaluateCount(budget: CountBudget, { counts = {}, atS }: ProgressResult): BudgetProgress {
  const actual = measureCount(budget, counts, 1000 * atS)?.actual ?? null
  return { isKept: actual === null ? undefined : isLimitMet(budget, actual), missing: 0 }
}
