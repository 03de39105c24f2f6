import { TIMED_OPERATIONS, type TimedOperation } from '../../contract/facts.ts'
import { type Budget, type CountBudget, LATENCY_METRIC_FIELDS, type LatencyBudget, TOKEN_METRICS } from './budget.ts'

/** k6 thresholds, keyed by metric with its tags. */
export type K6Thresholds = Readonly<Record<string, readonly string[]>>

/**
 * Converts budgets into k6 thresholds for k6's summary and outputs. The verdict does not use them, because k6 has no
 * minimum number of samples. k6 passes a threshold without samples, so each trend also has a threshold on its counter.
 */
export function buildThresholds(budgets: readonly Budget[]): K6Thresholds {
  const thresholds: Record<string, string[]> = {}
  const add = (metric: string, rule: string) => {
    const rules = (thresholds[metric] ??= [])
    if (!rules.includes(rule)) rules.push(rule)
  }
  for (const budget of budgets) {
    if (budget.kind === 'added') continue // Skips added latency, because k6 does not know the upstream's times.
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
  // All other budgets get no threshold: k6 has no metric for planned requests that were never started, and counts
  // failures only as a rate.
}

function statisticOf({ statistic }: LatencyBudget): string {
  if (statistic === 'mean') return 'avg'
  return statistic === 'max' ? 'max' : `p(${statistic.slice(1)})`
}

function tagsOf(budget: LatencyBudget | CountBudget): string {
  if (budget.operation !== null) return `{operation:${budget.operation}}`
  return budget.kind === 'latency' && TOKEN_METRICS.includes(budget.metric) ? '{operation:chat-stream}' : ''
}

/** Limits of single requests by operation, in the format of the k6 extension: `{ 'chat-stream': { ttftMs: 800 } }`. */
export type GoodRequestLimits = Readonly<Partial<Record<TimedOperation, Readonly<Record<string, number>>>>>

/**
 * Returns the limits within which a single request counts as good. If several budgets apply to a metric, the widest
 * limit counts: with a median of 100 ms and a p99 of 800 ms, a request may take 800 ms. Ignores means, because they do
 * not limit single requests. Ignores the scheduling delay, because it is a property of the load generator.
 */
export function buildRequestLimits(budgets: readonly Budget[]): GoodRequestLimits {
  const limits: Partial<Record<TimedOperation, Record<string, number>>> = {}
  for (const budget of budgets) {
    if (budget.kind !== 'latency' || budget.statistic === 'mean' || budget.metric === 'start_lag') continue
    for (const operation of operationsOf(budget)) {
      const own = (limits[operation] ??= {})
      const name = LATENCY_METRIC_FIELDS[budget.metric]
      own[name] = Math.max(own[name] ?? 0, budget.limitMs)
    }
  }
  return limits
}

function operationsOf({ operation, metric }: Budget & { kind: 'latency' }): readonly TimedOperation[] {
  if (operation !== null) return [operation]
  return TOKEN_METRICS.includes(metric) ? ['chat-stream'] : TIMED_OPERATIONS
}
