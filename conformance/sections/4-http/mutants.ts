import { gzipSync } from 'node:zlib'
import { OPERATIONS } from '../../../contract/facts.ts'
import {
  changeSuccesses,
  setHeader,
  createJsonResponse,
  rejectRequests,
  respondWith,
} from '../../mutation/change/responses.ts'
import { matchHeader, matchOperation, type RequestMatcher } from '../../mutation/change/match.ts'
import { rewritePath } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { JSON_OPERATIONS } from '../../requests/build-request.ts'
import { PLAIN_CHAT_CHECKS } from '../shared/mutants-check-groups.ts'
import { matchObserved, matchObservedStatus, matchServedOtherwise } from '../../mutation/result-match.ts'

function requestsTo(method: string, target: string): RequestMatcher {
  return (request) => request.method === method && request.target === target
}

export const httpMutants: readonly Mutant[] = [
  ...JSON_OPERATIONS.map((operation) => ({
    id: `4/charset-demanded-${operation}`,
    breaks: `${operation} accepts application/json only with a charset`,
    kills: {
      [`4/json-content-type-${operation}`]: matchServedOtherwise({
        header: 'content-type',
        value: 'application/json; charset=utf-8',
      }),
    },
    mayAffect: operation === 'chat' ? PLAIN_CHAT_CHECKS : [`1/${operation}-offered`],
    hooks: rejectRequests(matchOperation(operation, matchHeader('content-type', /^application\/json$/)), 400),
  })),
  {
    id: '4/content-type-demanded',
    breaks: 'nothing: a target may reject a body without Content-Type',
    kills: { '4/content-type-missing': matchObservedStatus(400) },
    hooks: rejectRequests(matchOperation('chat', matchHeader('content-type', /^$/)), 400),
  },
  {
    id: '4/text-refused',
    breaks: 'nothing: a target may reject JSON as text/plain',
    kills: { '4/content-type-other': matchObservedStatus(415) },
    hooks: rejectRequests(matchOperation('chat', matchHeader('content-type', /^text\/plain/)), 415),
  },
  {
    id: '4/charset-refused',
    breaks: 'nothing: a target may reject a charset on JSON',
    kills: { '4/content-type-charset': matchObservedStatus(400) },
    hooks: rejectRequests(matchOperation('chat', matchHeader('content-type', /charset/)), 400),
  },
  ...(['images', 'speech'] as const).map((operation) => ({
    id: `4/charset-refused-${operation}`,
    breaks: 'nothing: a target may reject a charset on JSON',
    kills: { [`4/content-type-charset-${operation}`]: matchObservedStatus(415) },
    hooks: rejectRequests(matchOperation(operation, matchHeader('content-type', /charset/)), 415),
  })),
  ...(['chat', 'transcriptions'] as const).map((operation) => ({
    id: `4/length-required-${operation}`,
    breaks: 'nothing: a target may require the length of a body',
    kills: { [`4/chunked-body-${operation}`]: matchObservedStatus(411) },
    hooks: rejectRequests(matchOperation(operation, matchHeader('transfer-encoding', /chunked/)), 411),
  })),
  {
    id: '4/get-405',
    breaks: 'nothing: a target may return 405 for another method',
    kills: { '4/wrong-method-chat': matchObservedStatus(405) },
    hooks: rejectRequests(requestsTo('GET', OPERATIONS.chat.path), 405),
  },
  {
    id: '4/head-405',
    breaks: 'nothing: a target may reject HEAD',
    kills: { '4/head-models': matchObservedStatus(405) },
    hooks: respondWith(requestsTo('HEAD', OPERATIONS.models.path), {
      status: 405,
      headers: {},
      body: Buffer.alloc(0),
    }),
  },
  {
    id: '4/head-with-body',
    breaks: 'a response to HEAD has a body',
    kills: { '4/head-body': { code: 'wrong-body', params: { problem: 'present' } } },
    mayAffect: ['4/head-models'],
    hooks: respondWith(requestsTo('HEAD', OPERATIONS.models.path), {
      status: 405,
      headers: {},
      body: Buffer.from('{"error":"no"}'),
      hasBodyOfHead: true,
    }),
  },
  {
    id: '4/delete-501',
    breaks: 'nothing: a target may return 501 for a method that it does not implement',
    kills: { '4/wrong-method-models': matchObservedStatus(501) },
    hooks: rejectRequests(requestsTo('DELETE', OPERATIONS.models.path), 501),
  },
  {
    id: '4/cross-origin-allowed',
    breaks: 'nothing: a target may allow cross-origin requests from any origin',
    kills: {
      '4/options-chat': matchObserved({
        kind: 'header',
        actualStatus: 204,
        header: 'access-control-allow-origin',
        value: '*',
      }),
    },
    hooks: respondWith(requestsTo('OPTIONS', OPERATIONS.chat.path), {
      status: 204,
      headers: { 'access-control-allow-origin': '*' },
      body: Buffer.alloc(0),
    }),
  },
  {
    id: '4/slash-ignored',
    breaks: 'nothing: a target may ignore a trailing slash',
    kills: { '4/trailing-slash': matchObservedStatus(200) },
    hooks: rewritePath(requestsTo('GET', `${OPERATIONS.models.path}/`), () => OPERATIONS.models.path),
  },
  {
    id: '4/compressed',
    breaks: 'nothing: a target may compress a response when a client accepts it',
    kills: {
      '4/compression': matchObserved({ kind: 'header', actualStatus: 200, header: 'content-encoding', value: 'gzip' }),
    },
    hooks: changeSuccesses(matchOperation('models', matchHeader('accept-encoding', /gzip/)), (response) =>
      setHeader('content-encoding', 'gzip')({ ...response, body: gzipSync(response.body) }),
    ),
  },
  {
    id: '4.1/query-refused',
    breaks: 'nothing: a target may reject an unknown query',
    kills: { '4.1/unknown-query': matchObservedStatus(400) },
    hooks: rejectRequests(({ target }) => target.startsWith(`${OPERATIONS.models.path}?`), 400),
  },
  {
    id: '9/second-version',
    breaks: 'nothing: a target may also serve another version',
    kills: { '9/other-version': matchObservedStatus(200) },
    hooks: respondWith(requestsTo('GET', '/v2/models'), createJsonResponse({ object: 'list', data: [] })),
  },
  {
    id: '9/without-version',
    breaks: 'nothing: a target may also serve its paths without the version',
    kills: { '9/without-prefix': matchObservedStatus(200) },
    hooks: rewritePath(requestsTo('GET', '/models'), () => OPERATIONS.models.path),
  },
]
