import { OPERATIONS, PATH_PREFIX } from '../../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck, calculateMaxCost } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { ObservedFact, ConnectionEnd } from '../../findings/facts.ts'
import type { CustomRequest } from '../../requests/api-request.ts'
import { type Observation, defineObservationCheck } from '../shared/observation-check.ts'
import { forOperations } from '../shared/operation.ts'
import { selectModel, checkCommonForm } from '../shared/common-form.ts'
import { hasBrokenDown, isStaleConnectionError } from '../../http/breakdown.ts'
import * as expect from '../../findings/expect.ts'
import { isStreamingRequest } from '../../http/request-body.ts'
import { MAX_ON_ONE_CONNECTION, sendOnOneConnection } from '../1-service/cross-talk.ts'

function withKey(
  context: CheckContext,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Exchange> {
  return context.send({ method, path, key: 'funded', headers })
}

function observeHeader(header: string): (response: Exchange) => ObservedFact | undefined {
  return ({ status, error, headers }) =>
    error === undefined ? { kind: 'header', actualStatus: status, header, value: headers[header] ?? null } : undefined
}

/** Request that several checks send. */
const HEAD_OF_MODELS: CustomRequest = { method: 'HEAD', path: OPERATIONS.models.path, key: 'funded' }

type HttpObservation = Omit<Observation, 'requirement'> & { readonly requirement?: string }

const OBSERVATIONS: readonly HttpObservation[] = [
  {
    id: '4/content-type-missing',
    requirement: '4/other-content-types',
    tried: 'a JSON body without Content-Type',
    operation: 'chat',
    request: ({ chat }) => chat({}, { headers: { 'content-type': null } }),
  },
  {
    id: '4/content-type-other',
    requirement: '4/other-content-types',
    tried: 'a JSON body as text/plain',
    operation: 'chat',
    request: ({ chat }) => chat({}, { headers: { 'content-type': 'text/plain' } }),
  },
  {
    id: '4/content-type-charset',
    requirement: '4/other-content-types',
    tried: 'a JSON body as application/json; charset=utf-8',
    operation: 'chat',
    request: ({ chat }) => chat({}, { headers: { 'content-type': 'application/json; charset=utf-8' } }),
  },
  ...forOperations(
    { images: '4/content-type-charset-images', speech: '4/content-type-charset-speech' },
    (operation, id): HttpObservation => ({
      id,
      requirement: '4/other-content-types',
      tried: 'a JSON body as application/json; charset=utf-8',
      operation,
      request: (context) => context[operation]({}, { headers: { 'content-type': 'application/json; charset=utf-8' } }),
    }),
  ),
  ...forOperations(
    { chat: '4/chunked-body-chat', transcriptions: '4/chunked-body-transcriptions' },
    (operation, id): HttpObservation => ({
      id,
      tried: 'a body with Transfer-Encoding: chunked',
      operation,
      request: (context) => context[operation]({}, { headers: { 'transfer-encoding': 'chunked' } }),
    }),
  ),
  {
    id: '4/wrong-method-models',
    requirement: '4/wrong-method',
    tried: 'DELETE on the list of models',
    operation: 'models',
    request: (context) => withKey(context, 'DELETE', OPERATIONS.models.path),
  },
  {
    id: '4/wrong-method-chat',
    requirement: '4/wrong-method',
    tried: 'GET on chat completions',
    operation: 'chat',
    request: (context) => withKey(context, 'GET', OPERATIONS.chat.path),
  },
  {
    id: '4/head-models',
    tried: 'HEAD on the list of models',
    operation: 'models',
    request: ({ shared }) => shared.send(HEAD_OF_MODELS),
  },
  {
    id: '4/options-chat',
    tried: 'a CORS preflight request of a browser',
    operation: 'chat',
    request: ({ send }) =>
      send({
        method: 'OPTIONS',
        path: OPERATIONS.chat.path,
        key: 'none',
        headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
      }),
    observe: observeHeader('access-control-allow-origin'),
  },
  {
    id: '4/trailing-slash',
    tried: 'a slash at the end of a path',
    operation: 'models',
    request: (context) => withKey(context, 'GET', `${OPERATIONS.models.path}/`),
  },
  {
    id: '4/compression',
    tried: 'Accept-Encoding: gzip',
    operation: 'models',
    request: (context) => withKey(context, 'GET', OPERATIONS.models.path, { 'accept-encoding': 'gzip' }),
    observe: observeHeader('content-encoding'),
  },
  {
    id: '4.1/unknown-query',
    requirement: '4.1/unknown-query',
    tried: 'an unknown query parameter',
    operation: 'models',
    request: (context) => withKey(context, 'GET', `${OPERATIONS.models.path}?touchstone=1`),
  },
]

const TRIED = 'a stream, a chat and another stream on one connection'

/** Describes what the target did with the connection after a response, and whether a header announced it. */
function describeConnection(before: Exchange, next: Exchange): ConnectionEnd {
  if (isStaleConnectionError(next)) return 'closed-during-request'
  if (next.reusedConnection === true) return 'kept'
  return /\bclose\b/i.test(before.headers['connection'] ?? '') ? 'closed' : 'closed-unannounced'
}

const BODY_CONSEQUENCE =
  'HTTP forbids this body (RFC 9110, section 9.3.2): a client that keeps the connection reads the body as the start of the next response, and that request fails'

export const httpChecks: readonly Check[] = [
  ...forOperations(
    {
      chat: '4/json-content-type-chat',
      images: '4/json-content-type-images',
      speech: '4/json-content-type-speech',
    },
    (operation, id) =>
      defineCheck({
        id,
        requirement: '4/json-content-type',
        title: 'accepts a JSON body with Content-Type: application/json',
        operation,
        needs: ['funded'],
        cost: calculateMaxCost(operation, 2),
        async run(context) {
          const send = (mediaType: string): Promise<Exchange> =>
            context.shared[operation](
              { model: selectModel(context, operation) },
              { headers: { 'content-type': mediaType } },
            )
          const withCharset = 'application/json; charset=utf-8'
          return checkCommonForm(await send('application/json'), {
            servedWith: { header: 'content-type', value: withCharset },
            send: () => send(withCharset),
          })
        },
      }),
  ),
  ...OBSERVATIONS.map((observation) => defineObservationCheck({ requirement: '4/http', ...observation })),
  defineCheck({
    id: '4/kept-connection',
    requirement: '4/http-connection',
    title: `the handling of ${TRIED}`,
    operation: 'chat',
    cost: calculateMaxCost('chat', MAX_ON_ONE_CONNECTION),
    alone: true,
    async run(context) {
      const sent = await sendOnOneConnection(context)
      const unserved = sent.find((response) => !expect.isServed(response) && !isStaleConnectionError(response))
      if (unserved !== undefined) return expect.observe(unserved)
      const after = (isStream: boolean): ConnectionEnd => {
        const at = sent.findIndex((one) => expect.isServed(one) && isStreamingRequest(one.request) === isStream)
        const [before, next] = [sent[at], sent[at + 1]]
        return before === undefined || next === undefined ? 'closed' : describeConnection(before, next)
      }
      return expect.observeFact({ kind: 'connection', afterStream: after(true), afterChat: after(false) }, TRIED)
    },
  }),
  defineCheck({
    id: '4/head-body',
    requirement: '4/head-body',
    title: 'sends no body in a response to HEAD',
    operation: 'models',
    async run({ shared }) {
      const response = await shared.send(HEAD_OF_MODELS)
      // The breakdown check of the operation reports this response.
      if (response.error !== undefined || hasBrokenDown(response)) return expect.checkSuccess(response)
      return response.body.byteLength === 0
        ? expect.pass({ rule: 'no-body' }, { kind: 'response', actualStatus: response.status })
        : expect.warn({ rule: 'no-body' }, { code: 'wrong-body', params: { problem: 'present' } }, BODY_CONSEQUENCE)
    },
  }),
]

export const versioningChecks: readonly Check[] = [
  { id: '9/other-version', tried: 'the list of models under /v2', prefix: '/v2' },
  { id: '9/without-prefix', tried: 'the list of models without /v1', prefix: '' },
].map(({ id, tried, prefix }) =>
  defineObservationCheck({
    id,
    requirement: '9/policy',
    tried,
    operation: 'models',
    request: (context) => withKey(context, 'GET', OPERATIONS.models.path.replace(PATH_PREFIX, prefix)),
  }),
)
