import type { ModelId, Operation } from '../../contract/facts.ts'
import type { SeededRandom } from './seeded-random.ts'

/** A delay by its median and its 99th percentile, log-normal between them; both alike: fixed. Milliseconds. */
export interface DelayDistribution {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** How long a model takes: until the first token, and from each token to the next. */
export interface TokenLatency {
  readonly ttft: DelayDistribution
  readonly gap: DelayDistribution
}

/** How long everything takes. */
export interface LatencyProfile {
  /** Chat, streamed or not: an answer that is not streamed comes when its last token would have. */
  readonly chat: TokenLatency
  /** Chat with single models that are slower or faster. */
  readonly byModel?: Readonly<Partial<Record<ModelId, TokenLatency>>>
  /** Time to the whole answer of the other operations. */
  readonly total: Readonly<Record<Exclude<Operation, 'chat'>, DelayDistribution>>
  /** What each request in flight adds to every delay, as a share of it: 0.01 makes 100 requests take twice as long. */
  readonly slowdownPerRequest: number
}

/** A delay that does not vary. */
export function fixedDelay(ms: number): DelayDistribution {
  return { p50Ms: ms, p99Ms: ms }
}

/** A profile whose other operations take `total`, but for the list of models, which comes at once or nearly. */
export function createLatencyProfile(
  ttft: DelayDistribution,
  gap: DelayDistribution,
  total: DelayDistribution,
): LatencyProfile {
  const isInstant = total.p99Ms === 0
  return {
    chat: { ttft, gap },
    total: { models: isInstant ? total : fixedDelay(5), images: total, transcriptions: total, speech: total },
    slowdownPerRequest: 0,
  }
}

/** The profiles that have a name. */
export const LATENCY_PROFILES = {
  instant: createLatencyProfile(fixedDelay(0), fixedDelay(0), fixedDelay(0)),
  fast: createLatencyProfile({ p50Ms: 80, p99Ms: 300 }, { p50Ms: 6, p99Ms: 25 }, { p50Ms: 300, p99Ms: 900 }),
  typical: createLatencyProfile({ p50Ms: 350, p99Ms: 1500 }, { p50Ms: 18, p99Ms: 80 }, { p50Ms: 2000, p99Ms: 6000 }),
  slow: createLatencyProfile({ p50Ms: 1200, p99Ms: 6000 }, { p50Ms: 50, p99Ms: 250 }, { p50Ms: 8000, p99Ms: 25_000 }),
  reasoner: createLatencyProfile(
    { p50Ms: 6000, p99Ms: 30_000 },
    { p50Ms: 15, p99Ms: 60 },
    { p50Ms: 10_000, p99Ms: 40_000 },
  ),
} as const satisfies Record<string, LatencyProfile>

/** The delay to the first token, and from token to token, of a model; for other operations, of the whole answer. */
export function selectLatency(latency: LatencyProfile, operation: Operation, model: ModelId | undefined): TokenLatency {
  if (operation !== 'chat') return { ttft: latency.total[operation], gap: fixedDelay(0) }
  return (model === undefined ? undefined : latency.byModel?.[model]) ?? latency.chat
}

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
