import { JSON_OPERATIONS } from '../../requests/build-request.ts'
import { createErrorResponse, rejectRequests, respondWith } from '../../mutation/change/responses.ts'
import {
  isStreamRequest,
  matchBody,
  matchFields,
  matchFieldsOf,
  matchNot,
  matchOperation,
  type RequestMatcher,
  matchAll,
  matchHeader,
} from '../../mutation/change/match.ts'
import { rewriteRequests, rewriteFields, rewritePath, replaceJsonBody } from '../../mutation/change/requests.ts'
import { createStreamResponse } from '../../mutation/change/stream.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { SUBSTITUTES } from '../4-http/parameters-mutants.ts'
import { matchKey } from '../shared/mutants-emulator-keys.ts'
import { matchUnexpectedStatus, matchObservedStatus } from '../../mutation/result-match.ts'

const withFundedKey = matchKey('funded')

/** Bodies that a check of each operation sends: `7/<checks>-<operation>`. */
const INVALID_BODIES = [
  { checks: 'malformed-json', name: 'cut', pattern: /^\{"model":$/, difference: { bodyText: '{"model":' } },
  { checks: 'malformed-json', name: 'bare-name', pattern: /^\{model: 1\}$/, difference: { bodyText: '{model: 1}' } },
  {
    checks: 'malformed-json',
    name: 'unclosed',
    pattern: /^\{"model":.*[0-9"]$/,
    difference: { body: 'a body without its last brace' },
  },
  {
    checks: 'malformed-json',
    name: 'trailing-comma',
    pattern: /^\{"model":.*,\}$/,
    difference: { body: 'a body with a comma before its last brace' },
  },
  {
    checks: 'malformed-json',
    name: 'continued',
    pattern: /\} touchstone$/,
    difference: { body: 'a body with a word after it' },
  },
  { checks: 'no-object', name: 'array', pattern: /^\[\]$/, difference: { bodyText: '[]' } },
  { checks: 'no-object', name: 'text', pattern: /^"text"$/, difference: { bodyText: '"text"' } },
  { checks: 'no-object', name: 'number', pattern: /^5$/, difference: { bodyText: '5' } },
  { checks: 'empty-body', name: 'empty', pattern: /^$/, difference: { bodyText: '' } },
]

/** A server whose JSON parser throws outside the handler of the request. */
const unanswered: Mutant = {
  id: '7/empty-body-unanswered-chat',
  breaks: 'chat sends no response to an empty body',
  kills: {
    '7/empty-body-chat': {
      code: 'no-response',
      params: { actualStatus: 0, error: 'timeout', difference: { bodyText: '' } },
    },
  },
  hooks: respondWith(matchOperation('chat', withFundedKey, matchBody(/^$/)), {
    ...createErrorResponse(400),
    isWithheld: true,
  }),
  timeoutMs: 3000,
}

const unknownModel = matchFields({ model: 'touchstone-no-such-model' })

function fallback(operation: 'chat' | 'images' | 'speech', match: RequestMatcher): Mutant['hooks'] {
  return rewriteFields(matchOperation(operation, match, unknownModel), { model: 'vendorc-4o-mini' })
}

export const errorMutants: readonly Mutant[] = [
  ...INVALID_BODIES.flatMap(({ checks, name, pattern, difference }) =>
    JSON_OPERATIONS.map((operation) => ({
      id: `7/${name}-body-taken-${operation}`,
      breaks: `${operation} accepts an invalid body (${name})`,
      kills: { [`7/${checks}-${operation}`]: matchUnexpectedStatus(200, difference) },
      hooks: rewriteRequests(matchOperation(operation, withFundedKey, matchBody(pattern)), (request) =>
        replaceJsonBody(request, SUBSTITUTES),
      ),
    })),
  ),
  unanswered,
  ...JSON_OPERATIONS.map((operation) => ({
    id: `7/fallback-model-${operation}`,
    breaks: `${operation} serves an unknown model with a fallback model`,
    kills: {
      [`7/unknown-model-${operation}`]: matchUnexpectedStatus(200, {
        parameter: 'model',
        value: 'touchstone-no-such-model',
      }),
    },
    hooks: fallback(operation, matchNot(isStreamRequest)),
  })),
  ...JSON_OPERATIONS.map((operation) => ({
    id: `7/model-by-its-beginning-${operation}`,
    breaks: `${operation} accepts a model id that only starts with a listed id`,
    kills: {
      [`7/unknown-model-${operation}`]: matchUnexpectedStatus(200, {
        parameter: 'model',
        value: 'vendora-v4-flash-touchstone-no-such-model',
      }),
    },
    hooks: rewriteFields(matchFieldsOf(operation, { model: 'vendora-v4-flash-touchstone-no-such-model' }), {
      model: 'vendora-v4-flash',
    }),
  })),
  {
    id: '7/fallback-model-chat-stream',
    breaks: 'chat streams serve an unknown model with a fallback model',
    kills: { '7/unknown-model-chat-stream': matchUnexpectedStatus(200) },
    hooks: fallback('chat', isStreamRequest),
  },
  {
    id: '7/fallback-model-transcriptions',
    breaks: 'transcriptions serve an unknown model with a fallback model',
    kills: {
      '7/unknown-model-transcriptions': matchUnexpectedStatus(200, {
        parameter: 'model',
        value: 'touchstone-no-such-model',
      }),
    },
    hooks: rewriteRequests(matchOperation('transcriptions', matchBody(/touchstone-no-such-model/)), (request) => ({
      ...request,
      body: Buffer.from(
        request.body.toString('latin1').replace('touchstone-no-such-model', 'vendorc-4o-mini'),
        'latin1',
      ),
    })),
  },
  {
    id: '7/page-for-unknown-endpoint',
    breaks: 'an unknown endpoint returns an HTML page',
    kills: { '7/unknown-endpoint-get': matchUnexpectedStatus(200) },
    hooks: respondWith(({ method, target }) => method === 'GET' && target === '/v1/touchstone-no-such-endpoint', {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('<!doctype html><title>Console</title>'),
    }),
  },
  {
    id: '7/method-for-unknown-endpoint',
    breaks: 'a POST to an unknown endpoint gets 405',
    kills: { '7/unknown-endpoint-post': matchUnexpectedStatus(405) },
    hooks: rejectRequests(
      ({ method, target }) => method === 'POST' && target === '/v1/touchstone-no-such-endpoint',
      405,
    ),
  },
  {
    id: '7/known-by-its-beginning',
    breaks: 'paths below the chat endpoint are served as chats',
    kills: { '7/unknown-endpoint-below': matchUnexpectedStatus(200) },
    hooks: rewritePath(
      ({ target }) => target.startsWith('/v1/chat/completions/'),
      () => '/v1/chat/completions',
    ),
  },
  {
    id: '7/event-for-400',
    breaks: 'a stream request with an invalid parameter gets 200 and an error event',
    kills: { '7/bad-parameter-chat-stream': matchUnexpectedStatus(200) },
    hooks: respondWith(
      matchOperation(
        'chat',
        isStreamRequest,
        matchFields(({ temperature }) => Number(temperature) > 2),
      ),
      createStreamResponse('{"error":{"message":"temperature"}}'),
    ),
  },
]

const withoutCredits = matchKey('noCredits')
const withoutKey = matchHeader('authorization', /^$/)
const withHighTemperature = matchFields(({ temperature }) => Number(temperature) > 2)

const OTHER_ORDERS = [
  {
    check: '7/order-401-404',
    order: 'the path before the key',
    first: 404,
    match: matchAll(({ target }) => target === '/v1/touchstone-no-such-endpoint', withoutKey),
  },
  {
    check: '7/order-401-400',
    order: 'the body before the key',
    first: 400,
    match: matchOperation('chat', withoutKey, matchBody(/^\{"model":$/)),
  },
  {
    check: '7/order-404-400',
    order: 'the model before the other parameters',
    first: 404,
    match: matchOperation('chat', unknownModel, withHighTemperature),
  },
  {
    check: '7/order-402-400',
    order: 'the credits before the parameters',
    first: 402,
    match: matchOperation('chat', withoutCredits, withHighTemperature),
  },
  {
    check: '7/order-402-404',
    order: 'the credits before the model',
    first: 402,
    match: matchOperation('chat', withoutCredits, unknownModel),
  },
]

export const orderMutants: readonly Mutant[] = OTHER_ORDERS.map(({ check, order, first, match }) => ({
  id: `${check}-${first}-first`,
  breaks: `nothing: a target may check ${order}`,
  kills: { [check]: matchObservedStatus(first) },
  hooks: rejectRequests(match, first),
}))
