import { getMember } from '../../common/json-object.ts'
import type { Operation } from '../../contract/facts.ts'
import type { ServedOperationName } from '../operations/served-operations.ts'
import type { SeededRandom } from './seeded-random.ts'

/**
 * Distribution of a delay: log-normal with the given median and 99th percentile in milliseconds, or constant if both
 * are equal.
 */
export interface DelayDistribution {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Latency of chat responses: time to first token (`ttft`) and inter-token latency (`itl`). */
export interface TokenLatency {
  readonly ttft: DelayDistribution
  readonly itl: DelayDistribution
}

export interface LatencyProfile {
  /** Latency of chat and of the extensions. A non-streaming response is due together with its last token. */
  readonly chat: TokenLatency
  /** Latency of chat with individual models, by model ID. */
  readonly byModel?: Readonly<Record<string, TokenLatency>>
  /** Total time of each operation other than chat. */
  readonly total: Readonly<Record<Exclude<Operation, 'chat'>, DelayDistribution>>
  /** Fraction that each request in flight adds to every delay. With 0.01, delays double at 100 requests in flight. */
  readonly slowdownPerRequest: number
}

export function createFixedDelay(ms: number): DelayDistribution {
  return { p50Ms: ms, p99Ms: ms }
}

/**
 * Creates a latency profile.
 * @param total total time of the operations other than chat; the model list always takes 5 ms unless `total` is 0
 */
export function createLatencyProfile(
  ttft: DelayDistribution,
  itl: DelayDistribution,
  total: DelayDistribution,
): LatencyProfile {
  const isInstant = total.p99Ms === 0
  return {
    chat: { ttft, itl },
    total: { models: isInstant ? total : createFixedDelay(5), images: total, transcriptions: total, speech: total },
    slowdownPerRequest: 0,
  }
}

export const LATENCY_PROFILES = {
  instant: createLatencyProfile(createFixedDelay(0), createFixedDelay(0), createFixedDelay(0)),
  fast: createLatencyProfile({ p50Ms: 80, p99Ms: 300 }, { p50Ms: 6, p99Ms: 25 }, { p50Ms: 300, p99Ms: 900 }),
  typical: createLatencyProfile({ p50Ms: 350, p99Ms: 1500 }, { p50Ms: 18, p99Ms: 80 }, { p50Ms: 2000, p99Ms: 6000 }),
  slow: createLatencyProfile({ p50Ms: 1200, p99Ms: 6000 }, { p50Ms: 50, p99Ms: 250 }, { p50Ms: 8000, p99Ms: 25_000 }),
  reasoner: createLatencyProfile(
    { p50Ms: 6000, p99Ms: 30_000 },
    { p50Ms: 15, p99Ms: 60 },
    { p50Ms: 10_000, p99Ms: 40_000 },
  ),
} as const satisfies Record<string, LatencyProfile>

/**
 * Selects the latency of a model for chat and extensions. For other operations, returns their total time as time to
 * first token. Stored responses have no latency.
 */
export function selectLatency(
  latency: LatencyProfile,
  operation: ServedOperationName,
  model: string | undefined,
): TokenLatency {
  if (operation === 'stored-responses') return { ttft: createFixedDelay(0), itl: createFixedDelay(0) }
  const isLikeChat = operation === 'chat' || operation === 'responses' || operation === 'embeddings'
  if (!isLikeChat) return { ttft: latency.total[operation], itl: createFixedDelay(0) }
  return getMember(latency.byModel ?? {}, model ?? '') ?? latency.chat
}

/**
 * Due times of a response's tokens, in milliseconds since the arrival of the request. Delays are sampled on demand, so
 * long streams need no buffer. Tokens must be queried in ascending order.
 */
export interface TokenSchedule {
  getDueMs(token: number): number
}

const IMMEDIATE: TokenSchedule = { getDueMs: () => 0 }

/**
 * Creates the token schedule of a response.
 * @param factor factor by which every delay is multiplied
 */
export function createTokenSchedule({ ttft, itl }: TokenLatency, factor: number, random: SeededRandom): TokenSchedule {
  if (ttft.p99Ms === 0 && itl.p99Ms === 0) return IMMEDIATE
  let token = 0
  let dueMs = sampleDelay(ttft, random) * factor
  return {
    getDueMs(index) {
      for (; token < index; token += 1) dueMs += sampleDelay(itl, random) * factor
      return dueMs
    },
  }
}

function sampleDelay({ p50Ms, p99Ms }: DelayDistribution, random: SeededRandom): number {
  return p50Ms === p99Ms ? p50Ms : random.logNormal(p50Ms, p99Ms)
}
