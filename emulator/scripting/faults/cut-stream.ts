import type { StreamResponse } from '../../core/response.ts'

/** Ends the stream after `events` original events. Appends the event `last` if it is given. */
export function endAfter(response: StreamResponse, events: number, last?: string): StreamResponse {
  const own = Math.min(events, response.frameCount)
  return {
    ...response,
    frameCount: last === undefined ? own : own + 1,
    frame: (index) => (index < own ? response.frame(index) : (last ?? '')),
    getFrameDueMs: createFrameDueTimes(response, own),
    ...countOriginalTokens(response, own),
  }
}

/** Counts the tokens of a stream with `own` original events. Other events have no tokens. */
export function countOriginalTokens(
  response: StreamResponse,
  own: number,
): Pick<StreamResponse, 'usedTokensAfter' | 'reasoningTokensAfter'> {
  return {
    usedTokensAfter: (framesSent) => response.usedTokensAfter(Math.min(framesSent, own)),
    reasoningTokensAfter: (framesSent) => response.reasoningTokensAfter(Math.min(framesSent, own)),
  }
}

/** Ends the stream after `bytes` bytes. The last event may be incomplete. */
export function cutAfterBytes(response: StreamResponse, bytes: number): StreamResponse {
  let left = bytes
  for (let index = 0; index < response.frameCount; index += 1) {
    const size = response.frame(index).length
    if (size > left) return cutInEvent(response, index, left)
    left -= size
  }
  return response
}

/** Ends the stream within the event `index`, after its first `bytes` bytes. These are free of charge. */
export function cutInEvent(response: StreamResponse, index: number, bytes: number): StreamResponse {
  const partialEvent = response.frame(index).slice(0, bytes)
  return { ...endAfter(response, index), partialEvent }
}

/**
 * Returns a function that computes the due times of a stream with `own` original events. Additional events are due
 * together with the last original event.
 */
export function createFrameDueTimes(response: StreamResponse, own: number): (index: number) => number {
  return (index) => response.getFrameDueMs(Math.max(0, Math.min(index, own - 1)))
}
