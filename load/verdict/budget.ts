import type { LoadOperation } from '../../scenarios/lib/load-operation.ts'

/** Metrics of single requests in budgets, and their names in documents. */
export const LATENCY_METRICS = {
  ttft: 'ttftMs',
  gap: 'gapMs',
  tpot: 'tpotMs',
  e2e: 'e2eMs',
  start_lag: 'startLagMs',
} as const

export type LatencyMetric = keyof typeof LATENCY_METRICS

/** Statistics in budgets, and the number of samples that each needs. */
export const NEEDED_SAMPLES = {
  // With this number of samples, at most one of them exceeds the percentile with a probability of 1 % or less.
  p50: 11,
  p90: 64,
  p95: 130,
  p99: 662,
  max: 1,
  mean: 1,
} as const

export type Statistic = keyof typeof NEEDED_SAMPLES

/** Metrics of streamed chat only. */
export const TOKEN_METRICS: readonly LatencyMetric[] = ['ttft', 'gap', 'tpot']

/** A limit of a metric. `operation` null: of all operations together. */
export type Budget = LatencyBudget | CountBudget

export interface LatencyBudget {
  readonly kind: 'latency'
  readonly operation: LoadOperation | null
  readonly metric: LatencyMetric
  readonly statistic: Statistic
  readonly limitMs: number
}

export interface CountBudget {
  readonly kind: 'count'
  readonly operation: LoadOperation | null
  /** `failed.rate` in per cent of ended requests, `rate` and `goodput` in requests per second. */
  readonly metric: 'failed.rate' | 'failed.count' | 'dropped.count' | 'rate' | 'goodput'
  readonly limit: number
}

/** Unit of each count in the text of a budget. */
export const COUNT_UNITS = {
  'failed.rate': '%',
  'failed.count': '',
  'dropped.count': '',
  rate: '/s',
  goodput: '/s',
} as const satisfies Readonly<Record<CountBudget['metric'], string>>

/** Applies where no budget is given. */
export const DEFAULT_BUDGET: Budget = { kind: 'count', operation: null, metric: 'failed.rate', limit: 1 }

/** Returns whether a budget of a metric is a lower bound. */
export function isLowerBound(metric: CountBudget['metric']): boolean {
  return metric === 'rate' || metric === 'goodput'
}
