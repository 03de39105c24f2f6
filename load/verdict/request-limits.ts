import { LOAD_OPERATIONS, type LoadOperation } from '../../scenarios/lib/load-operation.ts'
import { type Budget, LATENCY_METRICS, TOKEN_METRICS } from './budget.ts'

/** Limits of single requests by operation, as the extension takes them: `{ 'chat-stream': { ttftMs: 800 } }`. */
export type RequestLimits = Readonly<Partial<Record<LoadOperation, Readonly<Record<string, number>>>>>

/**
 * What a single request has to keep to count as good. Of several budgets on one figure the widest limit counts: with a
 * median of 100 ms and a p99 of 800 ms, a request may take 800 ms. A mean says nothing of single requests, and the start
 * lag is the generator's own affair.
 */
export function requestLimits(budgets: readonly Budget[]): RequestLimits {
  const limits: Partial<Record<LoadOperation, Record<string, number>>> = {}
  for (const budget of budgets) {
    if (budget.kind !== 'latency' || budget.statistic === 'mean' || budget.metric === 'start_lag') continue
    for (const operation of operationsOf(budget)) {
      const own = (limits[operation] ??= {})
      const name = LATENCY_METRICS[budget.metric]
      own[name] = Math.max(own[name] ?? 0, budget.limitMs)
    }
  }
  return limits
}

function operationsOf({ operation, metric }: Budget & { kind: 'latency' }): readonly LoadOperation[] {
  if (operation !== null) return [operation]
  return TOKEN_METRICS.includes(metric) ? ['chat-stream'] : LOAD_OPERATIONS
}
