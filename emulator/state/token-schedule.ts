import type { SeededRandom } from './seeded-random.ts'
import type { DelayDistribution, TokenLatency } from './latency.ts'

/**
 * When each token of an answer is due, in milliseconds from the start of the request. Gaps are drawn as they are asked for,
 * so that a long stream costs no memory before: ask in ascending order.
 */
export interface TokenSchedule {
  dueMs(token: number): number
}

/** Everything at once. */
const IMMEDIATE: TokenSchedule = { dueMs: () => 0 }

/** The pace of one answer. `factor` stretches every delay. */
export function createTokenSchedule({ ttft, gap }: TokenLatency, factor: number, draw: SeededRandom): TokenSchedule {
  if (ttft.p99Ms === 0 && gap.p99Ms === 0) return IMMEDIATE
  let token = 0
  let dueMs = sampleDelay(ttft, draw) * factor
  return {
    dueMs(asked) {
      for (; token < asked; token += 1) dueMs += sampleDelay(gap, draw) * factor
      return dueMs
    },
  }
}

function sampleDelay({ p50Ms, p99Ms }: DelayDistribution, draw: SeededRandom): number {
  return p50Ms === p99Ms ? p50Ms : draw.logNormal(p50Ms, p99Ms)
}
