import { changeSuccesses, header, member, reject } from '../change/responses.ts'
import { all, isStreamRequest, type Match, to, withBody } from '../change/match.ts'
import { changeChunks, changeFrames, frame } from '../change/stream.ts'
import type { Mutant } from '../mutant.ts'
import type { Wire, WireResponse, WireRequest } from '../wire.ts'

/** Matches chats with a nonce, which identifies their responses. */
const marked = withBody(/"Repeat: t[0-9a-f]{8}"/)
const besideOthers: Match = ({ parallel: beside }) => beside.length > 0
const inCompany = all(to('chat'), isStreamRequest, marked, besideOthers)

/** Changes the streams of matching requests. */
function only(match: Match, wire: Wire): Wire {
  return {
    response: (response, request) => (match(request) ? (wire.response?.(response, request) ?? response) : response),
  }
}

/** Inserts the text of a concurrent request into a stream. */
function mixUp(response: WireResponse, { parallel: beside }: WireRequest): WireResponse {
  const nonce = beside.map((body) => /"Repeat: (t[0-9a-f]{8})"/.exec(body.toString('utf8'))?.[1]).find(Boolean)
  if (nonce === undefined) return response
  const chunk = frame(JSON.stringify({ choices: [{ index: 0, delta: { content: nonce }, finish_reason: null }] }))
  return { ...response, body: Buffer.from(chunk + response.body.toString('utf8')) }
}

const streams: readonly Mutant[] = [
  {
    id: '4.2/busy-beside-others',
    breaks: 'a stream is answered with 503 while another is under way',
    kills: {
      '7/flakes': {
        code: 'requests-flaked',
        params: { by: [{ endpoint: 'POST /v1/chat/completions', actualStatus: 503 }] },
      },
    },
    mayAffect: ['4.2/streams-at-once'],
    wire: reject(inCompany, 503),
  },
  {
    id: '4.2/error-beside-others',
    breaks: 'a stream carries an error while another is under way',
    kills: {
      '4.2/streams-at-once': {
        code: 'error-in-stream',
        params: { difference: { parallel: 16 }, form: 'error-member', actual: { message: 'busy' } },
      },
    },
    mayAffect: ['1/own-answer'],
    wire: only(
      inCompany,
      changeFrames((frames) => [...frames.slice(0, 1), frame('{"error":{"message":"busy"}}')]),
    ),
  },
  {
    id: '1/cut-beside-others',
    breaks: 'a stream loses its end while another is under way',
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
    wire: only(
      inCompany,
      changeFrames((frames) => frames.slice(0, -2)),
    ),
  },
]

const mixtures: readonly Mutant[] = [
  {
    id: '1/mixed-up',
    breaks: 'a stream gets text of another that is under way',
    kills: { '1/own-answer': { code: 'cross-talk', params: { of: 'text', responses: 17 } } },
    wire: only(inCompany, { response: mixUp }),
  },
  {
    id: '1/one-id-for-streams',
    breaks: 'all streams have the same id',
    kills: {
      '1/own-answer': { code: 'cross-talk', params: { of: 'id', position: 1, responses: 17 } },
      '1/own-answer-kept': { code: 'cross-talk', params: { of: 'id', position: 1, responses: 3 } },
    },
    wire: changeChunks('id', () => 'chatcmpl-stream'),
  },
  {
    id: '1/one-id-on-a-connection',
    breaks: 'a response repeats the id of the stream before it',
    kills: { '1/own-answer-kept': { code: 'cross-talk', params: { of: 'id', position: 1, responses: 3 } } },
    mayAffect: ['1/own-answer'],
    wire: only(marked, {
      response: (response, request) => {
        const change = isStreamRequest(request) ? changeChunks('id', () => 'chatcmpl-kept') : undefined
        return change?.response?.(response, request) ?? member('id', () => 'chatcmpl-kept')(response)
      },
    }),
  },
]

const connections: readonly Mutant[] = [
  {
    id: '4/connection-closed',
    breaks: 'nothing: a target may close the connection after each response',
    kills: {
      '4/kept-connection': {
        code: 'observed-response',
        params: { seen: { kind: 'connection', after: 'closed', header: 'close' } },
      },
    },
    wire: changeSuccesses(to('chat'), header('connection', 'close')),
  },
]

export const crossTalkMutants: readonly Mutant[] = [...streams, ...mixtures, ...connections]
