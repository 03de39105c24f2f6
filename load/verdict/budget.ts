import type { AddedMetricName } from '../../reports/load-parts-document.ts'
import type { TimedOperation } from '../../contract/facts.ts'

/** Latency metrics of budgets, and their field names in documents. */
export const LATENCY_METRIC_FIELDS = {
  ttft: 'ttftMs',
  text_ttft: 'textTtftMs',
  itl: 'itlMs',
  tpot: 'tpotMs',
  e2e: 'e2eMs',
  start_lag: 'startLagMs',
} as const

export type LatencyMetric = keyof typeof LATENCY_METRIC_FIELDS

/** Minimum number of samples for each statistic of a budget. */
export const MIN_SAMPLES = {
  // With this number of samples, the probability that at most one sample exceeds the true percentile is at most 1 %.
  p50: 11,
  p90: 64,
  p95: 130,
  p99: 662,
  max: 1,
  mean: 1,
} as const

export type Statistic = keyof typeof MIN_SAMPLES

/** Metrics that exist only for streamed chat. */
export const TOKEN_METRICS: readonly LatencyMetric[] = ['ttft', 'text_ttft', 'itl', 'tpot']

/** Operations whose responses report output tokens. */
export const OPERATIONS_WITH_USAGE: readonly TimedOperation[] = ['chat', 'chat-stream']

/** A limit on a metric. `operation` is null if the limit applies to all operations together. */
export type Budget = LatencyBudget | AddedBudget | CountBudget

export interface LatencyBudget {
  readonly kind: 'latency'
  readonly operation: TimedOperation | null
  readonly metric: LatencyMetric
  readonly statistic: Statistic
  readonly limitMs: number
}

/** Metrics of the latency that a gateway adds to its upstream, and their field names in documents. */
export const ADDED_METRIC_FIELDS = {
  'added.ttft': 'ttftMs',
  'added.itl': 'itlMs',
  'added.e2e': 'e2eMs',
} as const satisfies Readonly<Record<string, AddedMetricName>>

/** A limit on added latency over all operations together. */
export interface AddedBudget {
  readonly kind: 'added'
  readonly operation: null
  readonly metric: keyof typeof ADDED_METRIC_FIELDS
  readonly statistic: Statistic
  readonly limitMs: number
}

export interface CountBudget {
  readonly kind: 'count'
  readonly operation: TimedOperation | null
  /**
   * `failed.rate` is a percentage of finished requests; `rate` and `goodput` are requests per second; `tokens.rate` is
   * output tokens per second.
   */
  readonly metric: 'failed.rate' | 'failed.count' | 'dropped.count' | 'rate' | 'goodput' | 'tokens.rate'
  readonly limit: number
}

/** Unit of each count in the text format of budgets. */
export const COUNT_UNITS = {
  'failed.rate': '%',
  'failed.count': '',
  'dropped.count': '',
  rate: '/s',
  goodput: '/s',
  'tokens.rate': '/s',
} as const satisfies Readonly<Record<CountBudget['metric'], string>>

/** Budget of a run for which the user gave none: at most 1 % of requests may fail. */
export const DEFAULT_BUDGET: Budget = { kind: 'count', operation: null, metric: 'failed.rate', limit: 1 }

/** Returns whether the limit of a budget on this metric is a lower bound. */
export function hasLowerBound(metric: CountBudget['metric']): boolean {
  return COUNT_UNITS[metric] === '/s'
}
