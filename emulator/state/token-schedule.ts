import type { Draw } from './seeded-random.ts'
import type { Spread, TokenLatency } from './latency.ts'

/**
 * When each token of an answer is due, in milliseconds from the start of the request. Gaps are drawn as they are asked for,
 * so that a long stream costs no memory before: ask in ascending order.
 */
export interface Pace {
  dueMs(token: number): number
}

/** Everything at once. */
const AT_ONCE: Pace = { dueMs: () => 0 }

/** The pace of one answer. `factor` stretches every delay. */
export function planPace({ ttft, gap }: TokenLatency, factor: number, draw: Draw): Pace {
  if (ttft.p99Ms === 0 && gap.p99Ms === 0) return AT_ONCE
  let token = 0
  let dueMs = sample(ttft, draw) * factor
  return {
    dueMs(asked) {
      for (; token < asked; token += 1) dueMs += sample(gap, draw) * factor
      return dueMs
    },
  }
}

function sample({ p50Ms, p99Ms }: Spread, draw: Draw): number {
  return p50Ms === p99Ms ? p50Ms : draw.logNormal(p50Ms, p99Ms)
}
