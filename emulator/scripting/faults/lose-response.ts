import { encodeBody, MULTI_BYTE_CHARACTER } from '../../../common/byte-string.ts'
import type { ApiResponse, CompleteResponse, ConnectionLoss, StreamResponse } from '../../core/response.ts'
import { cutInEvent, endAfter } from './cut-stream.ts'
import type { LossPlace } from './fault-rule.ts'

/**
 * Loses a generated response at a place after its beginning. Has no effect on an error response at the places of a
 * stream.
 */
export function loseResponse(response: ApiResponse, place: LossPlace, how: ConnectionLoss['how']): ApiResponse {
  if (place === 'after-charge') return loseCompletely(response, { how })
  if (!('body' in response)) return loseStream(response, place, how)
  if (place === 'in-head') return { ...response, abort: { how, isInHead: true } }
  if (place !== 'in-body') return response
  return { ...response, abort: { how, afterBytes: Math.floor(encodeBody(response.body).length / 2) } }
}

function loseStream(response: StreamResponse, place: LossPlace, how: ConnectionLoss['how']): StreamResponse {
  // A socket sends the head of a stream together with the first event.
  if (place === 'in-head') {
    const headDueMs = response.getFrameDueMs(0)
    return { ...endAfter(response, 0), headDueMs, abort: { how, isInHead: true } }
  }
  return { ...cutAt(response, place), abort: { how } }
}

function cutAt(response: StreamResponse, place: LossPlace): StreamResponse {
  const { contentStart, contentEnd, frameCount } = response
  switch (place) {
    case 'before-first-token':
      return endAfter(response, contentStart)
    case 'after-first-token':
      return endAfter(response, Math.min(contentStart + 1, contentEnd))
    case 'in-event':
      return cutInContent(response)
    default:
      return endAfter(response, Math.floor(frameCount / 2))
  }
}

/**
 * Cuts the first content event with a multi-byte character between the bytes of this character. Cuts the middle content
 * event in its middle if there is no such character, because a client should already have a part of the message.
 */
function cutInContent(response: StreamResponse): StreamResponse {
  const { contentStart, contentEnd } = response
  for (let index = contentStart; index < contentEnd; index += 1) {
    const lead = response.frame(index).search(MULTI_BYTE_CHARACTER)
    if (lead !== -1) return cutInEvent(response, index, lead + 1)
  }
  const middle = Math.floor((contentStart + contentEnd) / 2)
  return cutInEvent(response, middle, Math.ceil(response.frame(middle).length / 2))
}

/** Loses the whole response at the time when it would be complete. It is charged like a complete response. */
function loseCompletely(response: ApiResponse, abort: ConnectionLoss): CompleteResponse {
  if ('body' in response) {
    const { operation: _, ...lost } = response // Without an operation, the timing log has no write time.
    return { ...lost, abort }
  }
  const { status, headers, frameCount, usedTokensAfter, reasoningTokensAfter } = response
  const usedTokens = usedTokensAfter(frameCount)
  return {
    status,
    headers,
    body: '',
    dueMs: response.getFrameDueMs(frameCount - 1),
    usedTokens,
    usedTokensBefore: () => usedTokensAfter(0), // The client has left, and no event was sent.
    countReasoningTokens: (tokens) => reasoningTokensAfter(tokens === usedTokens ? frameCount : 0),
    abort,
  }
}
