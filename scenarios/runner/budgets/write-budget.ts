import { type Budget, isLeast, NEEDED_SAMPLES } from './budget.ts'

/** A budget as it can be read again. */
export function writeBudget(budget: Budget): string {
  const of = budget.operation === null ? '' : `${budget.operation}.`
  if (budget.kind === 'latency') return `${of}${budget.metric}.${budget.statistic}<=${budget.limitMs}ms`
  const unit = isLeast(budget.metric) ? '/s' : budget.metric === 'failed.rate' ? '%' : ''
  return `${of}${budget.metric}${isLeast(budget.metric) ? '>=' : '<='}${budget.limit}${unit}`
}

/** Samples that it needs to say something. */
export function samplesNeeded(budget: Budget): number {
  return budget.kind === 'latency' ? NEEDED_SAMPLES[budget.statistic] : 1
}
