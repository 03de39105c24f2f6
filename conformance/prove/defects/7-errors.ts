import { alterStatus, refuse, reply, status } from '../change/answers.ts'
import { all, asStream, type Match, not, to, withBody, withFields, withHeader } from '../change/match.ts'
import { rewrite, rewriteFields, rewriteTarget, withJsonBody } from '../change/requests.ts'
import { frame } from '../change/stream.ts'
import type { Defect } from '../defect.ts'
import { KEYS, WITH_JSON } from './operations.ts'

const withFundedKey = withHeader('authorization', new RegExp(`${KEYS.funded}$`))

/** A body that each operation with a JSON body serves. */
const GOOD_BODY = {
  model: 'vendora-v4-flash',
  messages: [{ role: 'user', content: 'Say hello.' }],
  prompt: 'A grey stone',
  input: 'Hello.',
}

/** Bodies that are taken for good ones, with the check that tries them and its words for them. */
const BAD_BODIES = [
  { check: 'malformed-json', name: 'cut', pattern: /^\{"model":$/, said: String.raw`the body "\{\\"model\\":"` },
  { check: 'malformed-json', name: 'bare-name', pattern: /^\{model: 1\}$/, said: String.raw`the body "\{model: 1\}"` },
  {
    check: 'malformed-json',
    name: 'unclosed',
    pattern: /^\{"model":.*[0-9"]$/,
    said: 'the valid body without its last brace',
  },
  {
    check: 'malformed-json',
    name: 'trailing-comma',
    pattern: /^\{"model":.*,\}$/,
    said: 'the valid body with a comma before its last brace',
  },
  {
    check: 'malformed-json',
    name: 'continued',
    pattern: /\} touchstone$/,
    said: 'the valid body with a word after it',
  },
  { check: 'no-object', name: 'array', pattern: /^\[\]$/, said: String.raw`the body "\[\]"` },
  { check: 'no-object', name: 'text', pattern: /^"text"$/, said: String.raw`the body "\\"text\\""` },
  { check: 'no-object', name: 'number', pattern: /^5$/, said: 'the body "5"' },
  { check: 'empty-body', name: 'empty', pattern: /^$/, said: 'the body ""' },
] as const

const bodies: readonly Defect[] = BAD_BODIES.flatMap(({ check, name, pattern, said }) =>
  WITH_JSON.map((operation) => ({
    id: `7/${name}-body-taken-${operation}`,
    breaks: `${operation} takes for a request a body that is none (${name})`,
    kills: { [`7/${check}-${operation}`]: new RegExp(`^${said}: answered 200$`) },
    wire: rewrite(all(to(operation), withFundedKey, withBody(pattern)), (request) => withJsonBody(request, GOOD_BODY)),
  })),
)

const unknownModel = withFields(({ model }) => model === 'touchstone-no-such-model')

function fallback(operation: 'chat' | 'images' | 'speech', match: Match): Defect['wire'] {
  return rewriteFields(all(to(operation), match, unknownModel), () => ({ model: 'vendorc-4o-mini' }))
}

const models: readonly Defect[] = [
  ...WITH_JSON.map((operation) => ({
    id: `7/fallback-model-${operation}`,
    breaks: `${operation} serves an unknown model with a fallback model`,
    kills: { [`7/unknown-model-${operation}`]: /^the model touchstone-no-such-model: answered 200$/ },
    wire: fallback(operation, not(asStream)),
  })),
  ...WITH_JSON.map((operation) => ({
    id: `7/model-by-its-beginning-${operation}`,
    breaks: `${operation} takes a model for a listed one that it begins like`,
    kills: {
      [`7/unknown-model-${operation}`]: /^the model vendora-v4-flash-touchstone-no-such-model: answered 200$/,
    },
    wire: rewriteFields(
      all(
        to(operation),
        withFields(({ model }) => model === 'vendora-v4-flash-touchstone-no-such-model'),
      ),
      () => ({ model: 'vendora-v4-flash' }),
    ),
  })),
  {
    id: '7/fallback-model-chat-stream',
    breaks: 'streams serve an unknown model with a fallback model',
    kills: { '7/unknown-model-chat-stream': /^the request: answered 200$/ },
    wire: fallback('chat', asStream),
  },
  {
    id: '7/fallback-model-transcriptions',
    breaks: 'transcriptions serve an unknown model with a fallback model',
    kills: { '7/unknown-model-transcriptions': /^the model touchstone-no-such-model: answered 200$/ },
    wire: rewrite(all(to('transcriptions'), withBody(/touchstone-no-such-model/)), (request) => ({
      ...request,
      body: Buffer.from(
        request.body.toString('latin1').replace('touchstone-no-such-model', 'vendorc-4o-mini'),
        'latin1',
      ),
    })),
  },
  {
    id: '7/bad-request-for-unknown-model',
    breaks: 'an unknown model is answered with 400',
    kills: Object.fromEntries(
      ['chat', 'images', 'transcriptions', 'speech', 'chat-stream'].map((name) => [
        `7/unknown-model-${name}`,
        /^the (request|model touchstone-no-such-model): answered 400$/,
      ]),
    ),
    mayTouch: ['7/unknown-endpoint-get', '7/unknown-endpoint-post', '7/unknown-endpoint-below'],
    wire: alterStatus(404, status(400)),
  },
]

const endpoints: readonly Defect[] = [
  {
    id: '7/page-for-unknown-endpoint',
    breaks: 'an unknown endpoint gives the page of the console',
    kills: { '7/unknown-endpoint-get': /^the request: answered 200$/ },
    wire: reply(({ method, target }) => method === 'GET' && target === '/v1/touchstone-no-such-endpoint', {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('<!doctype html><title>Console</title>'),
    }),
  },
  {
    id: '7/method-for-unknown-endpoint',
    breaks: 'a POST to an unknown endpoint is answered with 405',
    kills: { '7/unknown-endpoint-post': /^the request: answered 405$/ },
    wire: refuse(({ method, target }) => method === 'POST' && target === '/v1/touchstone-no-such-endpoint', 405),
  },
]

const beginnings: Defect = {
  id: '7/known-by-its-beginning',
  breaks: 'whatever lies below the path of chats is taken for it',
  kills: { '7/unknown-endpoint-below': /^the request: answered 200$/ },
  wire: rewriteTarget(
    ({ target }) => target.startsWith('/v1/chat/completions/'),
    () => '/v1/chat/completions',
  ),
}

const streams: readonly Defect[] = [
  {
    id: '7/event-for-400',
    breaks: 'a stream with bad parameters is a 200 with an event that says so',
    kills: { '7/bad-parameter-chat-stream': /^the request: answered 200$/ },
    wire: reply(
      all(
        to('chat'),
        asStream,
        withFields(({ temperature }) => Number(temperature) > 2),
      ),
      {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: Buffer.from(frame('{"error":{"message":"temperature"}}')),
      },
    ),
  },
]

export const errorDefects: readonly Defect[] = [...bodies, ...models, ...endpoints, beginnings, ...streams]
