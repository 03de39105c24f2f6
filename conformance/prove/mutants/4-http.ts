import { gzipSync } from 'node:zlib'
import { OPERATIONS } from '../../../contract/facts.ts'
import { changeSuccesses, header, json, reject, reply } from '../change/responses.ts'
import { all, type Match, to, withHeader } from '../change/match.ts'
import { rewriteTarget } from '../change/requests.ts'
import type { Mutant } from '../mutant.ts'
import { PLAIN_CHAT_CHECKS } from './groups.ts'
import { observedStatus } from '../result-match.ts'

const plainJson: readonly Mutant[] = (['chat', 'images', 'speech'] as const).map((operation) => ({
  id: `4/charset-demanded-${operation}`,
  breaks: `${operation} rejects application/json and takes it only with a charset`,
  kills: {
    [`4/json-content-type-${operation}`]: {
      code: 'served-only-otherwise',
      params: { actualStatus: 400, servedWith: { header: 'content-type', value: 'application/json; charset=utf-8' } },
    },
  },
  mayAffect: operation === 'chat' ? PLAIN_CHAT_CHECKS : [`1/${operation}-offered`],
  wire: reject(all(to(operation), withHeader('content-type', /^application\/json$/)), 400),
}))

function at(method: string, target: string): Match {
  return (request) => request.method === method && request.target === target
}

const contentTypes: readonly Mutant[] = [
  {
    id: '4/content-type-demanded',
    breaks: 'nothing: a target may reject a body without Content-Type',
    kills: { '4/content-type-missing': observedStatus(400) },
    wire: reject(all(to('chat'), withHeader('content-type', /^$/)), 400),
  },
  {
    id: '4/text-refused',
    breaks: 'nothing: a target may reject JSON as text/plain',
    kills: { '4/content-type-other': observedStatus(415) },
    wire: reject(all(to('chat'), withHeader('content-type', /^text\/plain/)), 415),
  },
  {
    id: '4/charset-refused',
    breaks: 'nothing: a target may reject a charset on JSON',
    kills: { '4/content-type-charset': observedStatus(400) },
    wire: reject(all(to('chat'), withHeader('content-type', /charset/)), 400),
  },
  ...(['images', 'speech'] as const).map((operation) => ({
    id: `4/charset-refused-${operation}`,
    breaks: 'nothing: a target may reject a charset on JSON',
    kills: { [`4/content-type-charset-${operation}`]: observedStatus(415) },
    wire: reject(all(to(operation), withHeader('content-type', /charset/)), 415),
  })),
]

const methodsAndPaths: readonly Mutant[] = [
  {
    id: '4/delete-405',
    breaks: 'nothing: a target may response 405 to another method',
    kills: { '4/wrong-method-models': observedStatus(405) },
    wire: reject(at('DELETE', OPERATIONS.models.path), 405),
  },
  {
    id: '4/get-405',
    breaks: 'nothing: a target may response 405 to another method',
    kills: { '4/wrong-method-chat': observedStatus(405) },
    wire: reject(at('GET', OPERATIONS.chat.path), 405),
  },
  {
    id: '4/head-405',
    breaks: 'nothing: a target may reject HEAD',
    kills: { '4/head-models': observedStatus(405) },
    wire: reply(at('HEAD', OPERATIONS.models.path), { status: 405, headers: {}, body: Buffer.alloc(0) }),
  },
  {
    id: '4/cross-origin-allowed',
    breaks: 'nothing: a target may let web pages of any origin in',
    kills: {
      '4/options-chat': {
        code: 'observed-response',
        params: { seen: { kind: 'header', actualStatus: 204, header: 'access-control-allow-origin', value: '*' } },
      },
    },
    wire: reply(at('OPTIONS', OPERATIONS.chat.path), {
      status: 204,
      headers: { 'access-control-allow-origin': '*' },
      body: Buffer.alloc(0),
    }),
  },
  {
    id: '4/slash-ignored',
    breaks: 'nothing: a target may ignore a slash at the end',
    kills: { '4/trailing-slash': observedStatus(200) },
    wire: rewriteTarget(at('GET', `${OPERATIONS.models.path}/`), () => OPERATIONS.models.path),
  },
  {
    id: '4/compressed',
    breaks: 'nothing: a target may compress a response when a client accepts it',
    kills: {
      '4/compression': {
        code: 'observed-response',
        params: { seen: { kind: 'header', actualStatus: 200, header: 'content-encoding', value: 'gzip' } },
      },
    },
    wire: changeSuccesses(all(to('models'), withHeader('accept-encoding', /gzip/)), (response) =>
      header('content-encoding', 'gzip')({ ...response, body: gzipSync(response.body) }),
    ),
  },
  {
    id: '4.1/query-refused',
    breaks: 'nothing: a target may reject an unknown query',
    kills: { '4.1/unknown-query': observedStatus(400) },
    wire: reject(({ target }) => target.startsWith(`${OPERATIONS.models.path}?`), 400),
  },
  {
    id: '9/second-version',
    breaks: 'nothing: a target may have another version beside the first',
    kills: { '9/other-version': observedStatus(200) },
    wire: reply(at('GET', '/v2/models'), json({ object: 'list', data: [] })),
  },
  {
    id: '9/without-version',
    breaks: 'nothing: a target may serve its paths without the version too',
    kills: { '9/without-prefix': observedStatus(200) },
    wire: rewriteTarget(at('GET', '/models'), () => OPERATIONS.models.path),
  },
]

export const httpMutants: readonly Mutant[] = [...plainJson, ...contentTypes, ...methodsAndPaths]
