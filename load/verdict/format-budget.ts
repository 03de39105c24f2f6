import { type Budget, COUNT_UNITS, isLeast, NEEDED_SAMPLES } from './budget.ts'

/** A budget as it can be read again. */
export function writeBudget(budget: Budget): string {
  const of = budget.operation === null ? '' : `${budget.operation}.`
  if (budget.kind === 'latency') return `${of}${budget.metric}.${budget.statistic}<=${budget.limitMs}ms`
  return `${of}${budget.metric}${isLeast(budget.metric) ? '>=' : '<='}${budget.limit}${COUNT_UNITS[budget.metric]}`
}

/** Samples that it needs to say something. */
export function samplesNeeded(budget: Budget): number {
  return budget.kind === 'latency' ? NEEDED_SAMPLES[budget.statistic] : 1
}
