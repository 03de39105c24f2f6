import { OPERATIONS } from '../../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck, calculateMaxCost } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { ObservedFact } from '../../findings/facts.ts'
import type { CustomRequest } from '../../requests/api-request.ts'
import { type Observation, defineObservationCheck } from '../shared/observation-check.ts'
import { forOperations } from '../shared/operation.ts'
import { selectModel, checkCommonForm } from '../shared/common-form.ts'

const jsonContentTypeChecks = forOperations(
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
)

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
export const HEAD_OF_MODELS: CustomRequest = { method: 'HEAD', path: OPERATIONS.models.path, key: 'funded' }

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
    {
      images: '4/content-type-charset-images',
      speech: '4/content-type-charset-speech',
    },
    (operation, id): HttpObservation => ({
      id,
      requirement: '4/other-content-types',
      tried: 'a JSON body as application/json; charset=utf-8',
      operation,
      request: (context) => context[operation]({}, { headers: { 'content-type': 'application/json; charset=utf-8' } }),
    }),
  ),
  ...forOperations(
    {
      chat: '4/chunked-body-chat',
      transcriptions: '4/chunked-body-transcriptions',
    },
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

export const httpChecks: readonly Check[] = [
  ...jsonContentTypeChecks,
  ...OBSERVATIONS.map((observation) => defineObservationCheck({ requirement: '4/http', ...observation })),
]
