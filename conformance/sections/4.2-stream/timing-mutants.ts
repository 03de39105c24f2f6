import { gzipSync } from 'node:zlib'
import { changeResponses, combineHooks, rejectRequests } from '../../mutation/change/responses.ts'
import {
  isChatStream,
  matchAll,
  matchBody,
  matchFields,
  matchHeader,
  matchOperation,
} from '../../mutation/change/match.ts'
import { changeChunks, changeFrames } from '../../mutation/change/stream.ts'
import { changeStreamTiming, isLongStream } from '../../mutation/change/stream-timing.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import type { ProxiedRequest, ProxiedResponse, ProxyHooks } from '../../mutation/proxy-hooks.ts'

const isCountingStream = matchAll(isChatStream, matchBody(/Count from 1 to 1000/))

/** Matches the long stream that a check aborts, and the same request after it. */
const isAbortedStream = matchAll(isCountingStream, matchFields({ max_tokens: 160 }), matchBody(/This is request/))

/** Number of streams that match `isAbortedStream` and that the check aborts. */
const ABORTED_STREAMS = 6

/** Rejects all chats with 503 after a number of streams that clients abort. */
function breakAfter(streams: number): ProxyHooks {
  const isChat = matchOperation('chat')
  let aborted = 0
  return rejectRequests((request) => {
    if (isAbortedStream(request)) aborted += 1
    return aborted > streams && isChat(request)
  }, 503)
}

const acceptsGzip = matchHeader('accept-encoding', /\bgzip\b/)

function withoutGroups({ frameGroups: _groups, ...response }: ProxiedResponse): ProxiedResponse {
  return response
}

/** Cuts a stream after eight frames. Identical requests get the same id. */
function cutStream(response: ProxiedResponse, request: ProxiedRequest): ProxiedResponse {
  const nonce = /This is request (\w+)/.exec(request.body.toString('utf8'))?.[1] ?? ''
  const hooks = combineHooks(
    changeFrames((frames) => frames.slice(0, 8)),
    changeChunks('id', () => `chatcmpl-${nonce}`),
  )
  return hooks.onResponse?.(response, request) ?? response
}

/** Joins the text of a stream in its first chunk with text. It has as many words as the stream has frames. */
function joinTexts(frames: readonly string[]): readonly string[] {
  const words = frames.map((_frame, index) => index).join(' ')
  const first = frames.findIndex((frame) => /"content":"[^"]/.test(frame))
  return frames.map((frame, index) =>
    frame.replace(/"content":"(?:[^"\\]|\\.)*"/, () => `"content":"${index === first ? words : ''}"`),
  )
}

export const streamTimingMutants: readonly Mutant[] = [
  {
    id: '4.2/held-back',
    breaks: 'a stream is buffered and sent only when the completion is finished',
    kills: { '4.2/stream-progress': { code: 'stream-held-back' } },
    hooks: changeStreamTiming((maxTokens) => ({ delayMs: maxTokens > 128 ? 2600 : 1300 })),
  },
  {
    id: '4.2/text-in-one-event',
    breaks: 'a stream consists of one event with the whole text, sent when the completion is finished',
    kills: { '4.2/stream-progress': { code: 'stream-held-back', params: { events: 1 } } },
    hooks: combineHooks(
      changeStreamTiming((maxTokens) => ({ delayMs: maxTokens > 128 ? 1200 : 600 })),
      changeFrames(joinTexts, isCountingStream),
    ),
  },
  {
    id: '4.2/in-bursts',
    breaks: 'a stream is sent in bursts, each time a buffer is full',
    kills: { '4.2/stream-progress': { code: 'stream-in-bursts', params: { bursts: 7 } } },
    hooks: changeStreamTiming(() => ({ frameGroups: { size: 20, intervalMs: 600 } })),
  },
  {
    id: '4.2/released-at-fixed-times',
    breaks: 'a stream passes through a buffer, which is sent every two seconds',
    kills: { '4.2/stream-progress': { code: 'stream-later-than-plain' } },
    hooks: changeResponses(isCountingStream, (response) => ({ ...withoutGroups(response), delayMs: 2000 })),
  },
  {
    id: '4.2/compressed-at-the-end',
    breaks: 'a stream is compressed for clients that accept it, and sent only when the completion is finished',
    kills: { '4.2/compressed-stream-progress': { code: 'compressed-stream-buffered', params: { encoding: 'gzip' } } },
    hooks: changeResponses(matchAll(isLongStream, acceptsGzip), (response) => ({
      ...withoutGroups(response),
      headers: { ...response.headers, 'content-encoding': 'gzip' },
      body: gzipSync(response.body),
      delayMs: 1000,
    })),
  },
  {
    id: '4.2/limited-by-leaving',
    breaks: 'streams get 429 after clients abort some',
    kills: { '4.2/left-stream': { code: 'not-served-after-aborts', params: { actualStatus: 429 } } },
    hooks: rejectRequests(isAbortedStream, 429),
  },
  {
    id: '4.2/broken-by-leaving',
    breaks: 'every chat gets 503 after clients abort some streams',
    kills: {
      '7/breakdown-chat': { code: 'requests-broke-down', params: { since: '4.2/left-stream', sinceAborted: true } },
    },
    hooks: breakAfter(ABORTED_STREAMS),
  },
  {
    id: '4.2/unfinished-stream-in-cache',
    breaks: 'a cache keeps the part of a stream that it received before the client aborted, and sends it again',
    kills: { '4.2/stream-time-out': { code: 'streams-without-end', params: { repeated: 1 } } },
    mayAffect: ['4.2/left-stream'],
    hooks: changeResponses(isAbortedStream, cutStream),
  },
]
