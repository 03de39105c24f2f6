import type { BudgetEntry } from '../../reports/conformance-document.ts'
import { roundMs } from '../evidence/describe-exchange.ts'
import type { LatencySamples } from './latency-samples.ts'
import { type LatencyBudget, NEEDED_SAMPLES } from './budget.ts'
import { statisticOf } from './statistics.ts'

/** Holds samples against budgets: too few of them are not within a budget, and do not break it. */
export function judgeBudgets(budgets: readonly LatencyBudget[], samples: LatencySamples): BudgetEntry[] {
  return budgets.map(({ operation, figure, statistic, limitMs }) => {
    const values = samples.valuesOf(operation, figure)
    const actualMs = statisticOf(values, statistic)
    const needed = NEEDED_SAMPLES[statistic]
    return {
      metric: `${operation}.${figure}`,
      statistic,
      op: '<=',
      limit: limitMs,
      unit: 'ms',
      actual: actualMs === undefined ? null : roundMs(actualMs),
      n: values.length,
      needed,
      verdict: verdictOn(actualMs, limitMs, values.length >= needed),
    }
  })
}

function verdictOn(actualMs: number | undefined, limitMs: number, isEnough: boolean): BudgetEntry['verdict'] {
  if (actualMs === undefined || !isEnough) {
    return 'insufficient samples'
  }
  return actualMs <= limitMs ? 'within' : 'broken'
}
