import { OPERATIONS } from '../../../contract/facts.ts'
import type { ScriptedResponse } from './scripted-context.ts'
import type { RequestSpec } from '../../http/exchange.ts'

/** A target whose responses contain no evidence that it conforms to the specification. */
export interface NoEvidenceTarget {
  readonly name: string
  readonly responds: string
  respond(request: RequestSpec): ScriptedResponse
}

const JSON_TYPE = { 'content-type': 'application/json' }
const STREAM_TYPE = { 'content-type': 'text/event-stream' }

const EMPTY_OBJECT: ScriptedResponse = { status: 200, headers: JSON_TYPE, body: '{}' }

const CHUNKS = [
  { delta: { role: 'assistant', content: 'Hello.' }, finish_reason: null },
  { delta: {}, finish_reason: 'stop' },
].map((choice) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_735_689_600,
  model: 'vendora-v4-flash',
  choices: [{ index: 0, ...choice }],
}))
/** A truncated stream: the first chunk alone, whose `finish_reason` is null. */
const CUT_STREAM = `data: ${JSON.stringify(CHUNKS[0])}\n\n`
const STREAM = [...CHUNKS.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('')

function always(name: string, responds: string, response: ScriptedResponse): NoEvidenceTarget {
  return { name, responds, respond: () => response }
}

/** Creates a target that sends this body as a stream for a chat with `stream: true`, and `{}` for any other request. */
function streams(name: string, responds: string, body: string): NoEvidenceTarget {
  return {
    name,
    responds,
    respond: ({ path, body: sent }) =>
      path === OPERATIONS.chat.path && /"stream":true/.test(Buffer.from(sent ?? []).toString('utf8'))
        ? { status: 200, headers: STREAM_TYPE, body }
        : EMPTY_OBJECT,
  }
}

/** All targets without evidence. A check may pass against a target only for a reason in `REVIEWED_PASSES`. */
export const NO_EVIDENCE_TARGETS: readonly NoEvidenceTarget[] = [
  always('web-page', 'the same web page', {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<!doctype html><html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>',
  }),
  always('empty-object', 'the JSON {}', EMPTY_OBJECT),
  always('health', 'the JSON {"status":"ok"}', { status: 200, headers: JSON_TYPE, body: '{"status":"ok"}' }),
  always('empty-list', 'an empty list', { status: 200, headers: JSON_TYPE, body: '{"object":"list","data":[]}' }),
  always('empty-200', '200 without a body', { status: 200 }),
  always('no-content', '204', { status: 204 }),
  always('error-in-200', 'an error with status 200', {
    status: 200,
    headers: JSON_TYPE,
    body: '{"error":{"message":"Refused.","type":"invalid_request_error","param":null,"code":null}}',
  }),
  always('all-400', '400', { status: 400 }),
  always('all-401', '401', { status: 401 }),
  always('all-402', '402', { status: 402 }),
  always('all-404', '404', { status: 404 }),
  always('all-429', '429', { status: 429 }),
  always('all-503', '503', { status: 503 }),
  always('login-redirect', 'a redirect to a login page', { status: 302, headers: { location: 'https://login.test/' } }),
  streams('no-events', 'streams without events, and the JSON {}', ''),
  streams('comments-alone', 'streams of comments, and the JSON {}', ': ping\n\n: ping\n\n'),
  streams('done-alone', 'streams with [DONE] alone, and the JSON {}', 'data: [DONE]\n\n'),
  streams('cut-streams', 'streams that stop before finish_reason and [DONE], and the JSON {}', CUT_STREAM),
  streams('no-usage', 'streams without usage, and the JSON {}', STREAM),
]
