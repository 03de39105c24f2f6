import type { ProgressResult } from '../../scenarios/lib/extension-result.ts'
import type { Budget } from '../verdict/budget.ts'
import { sumOperations } from '../verdict/measure-count.ts'
import { getAllowedShare } from './evaluate-latency.ts'
import { countBreaking } from './sequential-test.ts'

/**
 * Returns whether the samples of a run so far show that a percentile or a rate of failures exceeds its budget, so that
 * the rest of the run cannot change the result. The evaluation after the run also considers the measurement error.
 */
export function detectBroken(budgets: readonly Budget[], progress: ProgressResult): boolean {
  const samples = (progress.budgets ?? []).values()
  return budgets.some((budget) => {
    if (budget.kind === 'latency') {
      const { n, above } = samples.next().value ?? { n: 0, above: 0 }
      const isPercentile = budget.statistic !== 'mean' && budget.statistic !== 'max'
      return isPercentile && above >= countBreaking(n, getAllowedShare(budget.statistic))
    }
    if (budget.metric !== 'failed.rate') return false
    const { failed, ended } = sumOperations(progress.counts ?? {}, budget.operation)
    return failed >= countBreaking(ended, budget.limit / 100)
  })
}
