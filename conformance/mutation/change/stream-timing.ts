import { LONG_COMPLETION_MESSAGES } from '../../sections/shared/long-completion.ts'
import { changeResponses } from './responses.ts'
import type { ProxyHooks, ProxiedRequest, ProxiedResponse } from '../proxy-hooks.ts'
import { isStreamRequest, matchBody, matchFields, matchOperation } from './match.ts'

/** Sends one frame every 5 ms. A client can measure this interval even on a busy machine. */
const SINGLE_FRAMES = { size: 1, intervalMs: 5 } as const

/** Minimum `max_tokens` of a stream that the proxy delays. Shorter streams have no delay, which saves time. */
const MIN_TOKENS = 64

/** Matches long streams, such as those of the checks that evaluate the arrival times of events. */
export const isLongStream = matchOperation(
  'chat',
  isStreamRequest,
  matchFields(({ max_tokens: tokens }) => Number(tokens) >= MIN_TOKENS),
  matchBody(new RegExp(LONG_COMPLETION_MESSAGES.map(({ content }) => content).join(''))),
)

/** Adds hooks that send long streams frame by frame. The emulator has no latency, so they would arrive at once. */
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
  return changeResponses(isLongStream, ({ frameGroups: _before, ...response }, request) => ({
    ...response,
    ...timing(maxTokensOf(request)),
  }))
}

function maxTokensOf({ body }: ProxiedRequest): number {
  return Number(/"max_tokens":(\d+)/.exec(body.toString('utf8'))?.[1])
}
