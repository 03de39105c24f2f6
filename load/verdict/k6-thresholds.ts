import { type Budget, type CountBudget, type LatencyBudget, TOKEN_METRICS } from './budget.ts'

/** k6's thresholds by metric with its tags. */
export type Thresholds = Readonly<Record<string, readonly string[]>>

/**
 * The budgets as k6 can hold them, so that its own summary and outputs know of them. The verdict does not rest on them: k6
 * lets a threshold without samples pass, for which each trend here has its counter beside it, and its percentiles are
 * of all samples or of none.
 */
export function k6Thresholds(budgets: readonly Budget[]): Thresholds {
  const thresholds: Record<string, string[]> = {}
  const add = (metric: string, rule: string) => {
    const rules = (thresholds[metric] ??= [])
    if (!rules.includes(rule)) rules.push(rule)
  }
  for (const budget of budgets) {
    const tags = tagsOf(budget)
    if (budget.kind === 'count') addCount(budget, tags, add)
    else {
      add(`${budget.metric}${tags}`, `${statisticOf(budget)}<=${budget.limitMs}`)
      add(`${budget.metric}_count${tags}`, 'count>0')
    }
  }
  return thresholds
}

function addCount({ metric, limit }: CountBudget, tags: string, add: (metric: string, rule: string) => void): void {
  if (metric === 'failed.rate') add(`http_req_failed${tags}`, `rate<=${limit / 100}`)
  if (metric === 'rate') add(`http_reqs${tags}`, `rate>=${limit}`)
  if (metric === 'goodput') add(`good${tags}`, `rate>=${limit}`)
  // k6 does not know of planned requests that never started, and counts failures as a rate only.
}

function statisticOf({ statistic }: LatencyBudget): string {
  if (statistic === 'mean') return 'avg'
  return statistic === 'max' ? 'max' : `p(${statistic.slice(1)})`
}

function tagsOf(budget: Budget): string {
  if (budget.operation !== null) return `{operation:${budget.operation}}`
  return budget.kind === 'latency' && TOKEN_METRICS.includes(budget.metric) ? '{operation:chat-stream}' : ''
}
