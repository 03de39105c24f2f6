import { LONG_COMPLETION_MESSAGES } from '../../sections/shared/long-completion.ts'
import type { ProxyHooks, ProxiedRequest, ProxiedResponse } from '../proxy-hooks.ts'
import { matchAll, isStreamRequest, matchOperation, matchBody, matchFields } from './match.ts'

/** Sends one frame every 5 ms. A client can measure this interval even on a busy machine. */
const SINGLE_FRAMES = { size: 1, intervalMs: 5 } as const

/**
 * Minimum `max_tokens` of a stream that the proxy delays. Shorter streams have no delay, which keeps mutation testing
 * fast.
 */
const MIN_TOKENS = 64

/**
 * Matches long streams, such as those of the check `4.2/stream-progress`, which evaluates the arrival times of events.
 */
export const isLongStream = matchAll(
  matchOperation('chat'),
  isStreamRequest,
  matchFields(({ max_tokens: tokens }) => Number(tokens) >= MIN_TOKENS),
  matchBody(new RegExp(LONG_COMPLETION_MESSAGES.map(({ content }) => content).join(''))),
)

/**
 * Adds hooks that send long streams frame by frame. They run before the hooks of the mutant. Without them, each stream
 * would arrive in one piece, because the emulator has no latency.
 */
export function addStreamTiming(hooks: ProxyHooks): ProxyHooks {
  return {
    ...hooks,
    onResponse(response, request) {
      const paced = isLongStream(request) ? { ...response, frameGroups: SINGLE_FRAMES } : response
      return hooks.onResponse?.(paced, request) ?? paced
    },
  }
}

/** Replaces the timing of long streams. `timing` receives the `max_tokens` of the request. */
export function changeStreamTiming(
  timing: (maxTokens: number) => Pick<ProxiedResponse, 'frameGroups' | 'delayMs'>,
): ProxyHooks {
  return {
    onResponse(response, request) {
      if (!isLongStream(request)) return response
      const { frameGroups: _before, ...others } = response
      return { ...others, ...timing(maxTokensOf(request)) }
    },
  }
}

function maxTokensOf({ body }: ProxiedRequest): number {
  return Number(/"max_tokens":(\d+)/.exec(body.toString('utf8'))?.[1])
}
