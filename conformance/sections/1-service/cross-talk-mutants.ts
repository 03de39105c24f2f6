import {
  changeSuccesses,
  createJsonResponse,
  changeResponses,
  type ResponseChange,
  setHeader,
  changeProperty,
  rejectRequests,
  respondWith,
} from '../../mutation/change/responses.ts'
import {
  isChatStream,
  isCompletionRequest,
  isStreamRequest,
  matchAll,
  matchBody,
  matchOperation,
  type RequestMatcher,
} from '../../mutation/change/match.ts'
import { changeFrames, formatServerSentEvent } from '../../mutation/change/stream.ts'
import { NONCE_PATTERN } from './cross-talk.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import type { ProxyHooks, ProxiedResponse, ProxiedRequest } from '../../mutation/proxy-hooks.ts'
import { matchObserved } from '../../mutation/result-match.ts'

/** Matches chats whose prompt contains a nonce, which identifies their responses. */
const hasNonce = matchBody(NONCE_PATTERN)
const isConcurrent: RequestMatcher = ({ parallel: beside }) => beside.length > 0
const isConcurrentStream = matchAll(isChatStream, hasNonce, isConcurrent)

function nonceOf(body: Buffer): string | undefined {
  return NONCE_PATTERN.exec(body.toString('utf8'))?.[1]
}

function insertForeignText(response: ProxiedResponse, { parallel: beside }: ProxiedRequest): ProxiedResponse {
  return insertText(response, beside.map(nonceOf).find(Boolean))
}

function insertTextOfConnection(): ResponseChange {
  const previous = new WeakMap<object, string>()
  return (response, { body, firstHeaders }) => {
    const nonce = previous.get(firstHeaders)
    previous.set(firstHeaders, nonceOf(body) ?? '')
    return insertText(response, nonce)
  }
}

function insertText(response: ProxiedResponse, nonce: string | undefined): ProxiedResponse {
  if (nonce === undefined) return response
  const chunk = formatServerSentEvent(
    JSON.stringify({ choices: [{ index: 0, delta: { content: nonce }, finish_reason: null }] }),
  )
  return { ...response, body: Buffer.from(chunk + response.body.toString('utf8')) }
}

function leakPreviousRequest(): ProxyHooks {
  let previous = ''
  return changeSuccesses(isCompletionRequest, (response, { body }) => {
    const leaked = previous
    previous = /\b[0-9a-f]{8}\b/.exec(body.toString('utf8'))?.[0] ?? ''
    return changeProperty('content', (text) => `${String(text)} ${leaked}`)(response)
  })
}

function rejectFirst(match: RequestMatcher, status: number): ProxyHooks {
  let isFirst = true
  return rejectRequests((request) => {
    const isRejected = isFirst && match(request)
    if (isRejected) isFirst = false
    return isRejected
  }, status)
}

export const crossTalkMutants: readonly Mutant[] = [
  {
    id: '4.2/busy-beside-others',
    breaks: 'a stream request gets 503 while another stream is in progress',
    kills: {
      '7/breakdown-chat': {
        code: 'requests-broke-down',
        params: { by: [{ endpoint: 'POST /v1/chat/completions', parallel: 16, actualStatus: 503 }] },
      },
    },
    // A stream of another check may overlap these streams and fail. Its repeat runs alone and succeeds.
    mayAffect: ['4.2/streams-at-once', '1/own-answer-kept', '7/flakes'],
    hooks: rejectRequests(isConcurrentStream, 503),
  },
  {
    id: '7/error-with-200-beside-others',
    breaks: 'a stream request gets 200 with an error in the body while another stream is in progress',
    kills: {
      '7/breakdown-chat': {
        code: 'requests-broke-down',
        params: { by: [{ parallel: 16, actualStatus: 200, isErrorInBody: true }] },
      },
    },
    mayAffect: ['4.2/streams-at-once', '1/own-answer-kept', '7/flakes'],
    hooks: respondWith(isConcurrentStream, createJsonResponse({ error: { message: 'busy', code: 502 } })),
  },
  {
    id: '7/empty-200-beside-others',
    breaks: 'a stream request gets 200 with an empty body while another stream is in progress',
    kills: {
      '7/rejected-in-parallel': {
        code: 'rejected-in-parallel',
        params: { by: [{ endpoint: 'POST /v1/chat/completions', actualStatus: 200, lacksResult: true }] },
      },
    },
    mayAffect: ['4.2/streams-at-once', '1/own-answer-kept'],
    hooks: respondWith(isConcurrentStream, { status: 200, headers: {}, body: Buffer.from('') }),
  },
  {
    id: '7/fails-once',
    breaks: 'the first list of models gets 503',
    kills: {
      '7/flakes': {
        code: 'requests-flaked',
        params: { flakes: 1, by: [{ endpoint: 'GET /v1/models', actualStatus: 503 }] },
      },
    },
    hooks: rejectFirst(matchOperation('models'), 503),
  },
  {
    id: '7/rejected-beside-others',
    breaks: 'a stream request gets 400 while another stream is in progress',
    kills: {
      '7/rejected-in-parallel': {
        code: 'rejected-in-parallel',
        params: { by: [{ endpoint: 'POST /v1/chat/completions', actualStatus: 400 }] },
      },
    },
    mayAffect: ['4.2/streams-at-once'],
    hooks: rejectRequests(isConcurrentStream, 400),
  },
  {
    id: '4.2/error-beside-others',
    breaks: 'a stream contains an error while another stream is in progress',
    kills: {
      '4.2/streams-at-once': {
        code: 'error-in-stream',
        params: { difference: { parallel: 16 }, form: 'error-member', actual: { message: 'busy' } },
      },
    },
    // A stream of another check may fail beside these streams. Its repeat succeeds, which makes it a flake.
    mayAffect: ['1/own-answer', '7/flakes'],
    hooks: changeFrames(
      (frames) => [...frames.slice(0, 1), formatServerSentEvent('{"error":{"message":"busy"}}')],
      isConcurrentStream,
    ),
  },
  {
    id: '1/cut-beside-others',
    breaks: 'a stream is truncated while another stream is in progress',
    kills: {
      '1/own-answer': {
        code: 'stream-cut',
        params: {
          difference: { parallel: 16 },
          end: { finishReason: false, done: false },
          singleEnd: { finishReason: true, done: true },
        },
      },
    },
    hooks: changeFrames((frames) => frames.slice(0, -2), isConcurrentStream),
  },
  {
    id: '1/mixed-up',
    breaks: 'a stream contains text of a concurrent stream',
    kills: { '1/own-answer': { code: 'cross-talk', params: { responses: 17 } } },
    hooks: changeResponses(isConcurrentStream, insertForeignText),
  },
  {
    id: '1/text-of-a-connection',
    breaks: 'a stream contains text of the previous stream on its connection',
    kills: { '1/own-answer-kept': { code: 'cross-talk', params: { position: 3, responses: 3 } } },
    hooks: changeResponses(matchAll(isStreamRequest, hasNonce), insertTextOfConnection()),
  },
  {
    id: '1/text-of-previous-request',
    breaks: 'a completion ends with a part of the previous prompt',
    kills: { '1/own-answer-everywhere': { code: 'cross-talk', params: {} } },
    hooks: leakPreviousRequest(),
  },
  {
    id: '4/connection-closed',
    breaks: 'nothing: a target may close the connection after each response',
    kills: { '4/kept-connection': matchObserved({ kind: 'connection', afterStream: 'closed', afterChat: 'closed' }) },
    hooks: changeSuccesses(matchOperation('chat'), setHeader('connection', 'close')),
  },
]
