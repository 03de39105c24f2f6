import type { LoadOperation } from '../../scenarios/lib/load-operation.ts'

/** Figures of single requests that a budget may name, and what they are called in documents. */
export const LATENCY_METRICS = {
  ttft: 'ttftMs',
  gap: 'gapMs',
  tpot: 'tpotMs',
  e2e: 'e2eMs',
  start_lag: 'startLagMs',
} as const

export type LatencyMetric = keyof typeof LATENCY_METRICS

/** Statistics of them, with the samples that each needs to say something. */
export const NEEDED_SAMPLES = {
  // So many that at most one of them lies above the percentile with a chance of 1 % or less.
  p50: 11,
  p90: 64,
  p95: 130,
  p99: 662,
  max: 1,
  mean: 1,
} as const

export type Statistic = keyof typeof NEEDED_SAMPLES

/** Figures that exist for streamed chat only. */
export const TOKEN_METRICS: readonly LatencyMetric[] = ['ttft', 'gap', 'tpot']

/** A limit to hold. Without an operation it is on all of them together. */
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
  /** `failed.rate` in per cent of what was answered or given up, `rate` and `goodput` in requests per second. */
  readonly metric: 'failed.rate' | 'failed.count' | 'dropped.count' | 'rate' | 'goodput'
  readonly limit: number
}

/** The unit that each count is written with. */
export const COUNT_UNITS = {
  'failed.rate': '%',
  'failed.count': '',
  'dropped.count': '',
  rate: '/s',
  goodput: '/s',
} as const satisfies Readonly<Record<CountBudget['metric'], string>>

/** What applies where nobody set a budget. */
export const DEFAULT_BUDGET: Budget = { kind: 'count', operation: null, metric: 'failed.rate', limit: 1 }

/** More is better: such a budget is a least value. */
export function isLeast(metric: CountBudget['metric']): boolean {
  return metric === 'rate' || metric === 'goodput'
}
