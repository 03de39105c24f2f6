import { LONG_COMPLETION } from '../../checks/long-completion.ts'
import type { Wire, WireRequest, WireResponse } from '../wire.ts'
import { all, isStreamRequest, to, withFields } from './match.ts'

/** Enough time between events to tell them apart, on a busy machine too. */
const ONE_BY_ONE = { frames: 1, everyMs: 5 } as const

/** Streams of this length take time; all others are sent at once, so that the proof is quick. */
const MIN_TOKENS = 64

/** Selects the streams of the check that judges when events arrive. */
export const longStream = all(
  to('chat'),
  isStreamRequest,
  withFields(
    ({ max_tokens: tokens, messages }) =>
      Number(tokens) >= MIN_TOKENS && JSON.stringify(messages) === JSON.stringify(LONG_COMPLETION),
  ),
)

/** Sends long streams event by event, before the change of a mutant: the emulator of the proof sends them at once. */
export function inRealTime(wire: Wire): Wire {
  return {
    ...wire,
    response(response, request) {
      const paced = longStream(request) ? { ...response, pace: ONE_BY_ONE } : response
      return wire.response?.(paced, request) ?? paced
    },
  }
}

/** Sends long streams in another way: how depends on `max_tokens`. */
export function changePace(pace: (maxTokens: number) => Pick<WireResponse, 'pace' | 'delayMs'>): Wire {
  return {
    response(response, request) {
      if (!longStream(request)) return response
      const { pace: _before, ...others } = response
      return { ...others, ...pace(maxTokensOf(request)) }
    },
  }
}

function maxTokensOf({ body }: WireRequest): number {
  return Number(/"max_tokens":(\d+)/.exec(body.toString('utf8'))?.[1])
}
