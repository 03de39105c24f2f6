import { OPERATIONS } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import { observationCheck } from './observe.ts'
import type { Look } from './observe.ts'
import { costOf, JSON_OPERATIONS } from './operation.ts'
import { modelFor, takesUsualForm } from './usual-form.ts'

const jsonContentTypeChecks = JSON_OPERATIONS.map((operation) =>
  defineCheck({
    id: `4/json-content-type-${operation}`,
    requirement: '4/json-content-type',
    title: 'a JSON body with Content-Type: application/json is accepted',
    operation,
    needs: ['key'],
    cost: costOf(operation, 2),
    async run(context) {
      const ask = (mediaType: string): Promise<Exchange> =>
        context[operation]({ model: modelFor(context, operation) }, { headers: { 'content-type': mediaType } })
      const withCharset = 'application/json; charset=utf-8'
      return takesUsualForm(await ask('application/json'), () => ask(withCharset), `as ${withCharset}`)
    },
  }),
)

function withKey(
  context: CheckContext,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Exchange> {
  return context.send({ method, path, headers: { authorization: `Bearer ${context.keys.funded}`, ...headers } })
}

function header(name: string): (answer: Exchange) => string {
  return (answer) => `${expect.answered(answer)}, ${name}: ${answer.headers[name] ?? 'none'}`
}

type HttpLook = Omit<Look, 'requirement'> & { readonly requirement?: string }

const LOOKS: readonly HttpLook[] = [
  {
    id: '4/content-type-missing',
    requirement: '4/other-content-types',
    tried: 'a JSON body without Content-Type',
    operation: 'chat',
    ask: ({ chat }) => chat({}, { headers: { 'content-type': null } }),
  },
  {
    id: '4/content-type-other',
    requirement: '4/other-content-types',
    tried: 'a JSON body as text/plain',
    operation: 'chat',
    ask: ({ chat }) => chat({}, { headers: { 'content-type': 'text/plain' } }),
  },
  {
    id: '4/content-type-charset',
    requirement: '4/other-content-types',
    tried: 'a JSON body as application/json; charset=utf-8',
    operation: 'chat',
    ask: ({ chat }) => chat({}, { headers: { 'content-type': 'application/json; charset=utf-8' } }),
  },
  ...(['images', 'speech'] as const).map((operation): HttpLook => ({
    id: `4/content-type-charset-${operation}`,
    requirement: '4/other-content-types',
    tried: 'a JSON body as application/json; charset=utf-8',
    operation,
    ask: (context) => context[operation]({}, { headers: { 'content-type': 'application/json; charset=utf-8' } }),
  })),
  {
    id: '4/wrong-method-models',
    requirement: '4/wrong-method',
    tried: 'DELETE on the list of models',
    operation: 'models',
    ask: (context) => withKey(context, 'DELETE', OPERATIONS.models.path),
  },
  {
    id: '4/wrong-method-chat',
    requirement: '4/wrong-method',
    tried: 'GET on chat completions',
    operation: 'chat',
    ask: (context) => withKey(context, 'GET', OPERATIONS.chat.path),
  },
  {
    id: '4/head-models',
    tried: 'HEAD on the list of models',
    operation: 'models',
    ask: (context) => withKey(context, 'HEAD', OPERATIONS.models.path),
  },
  {
    id: '4/options-chat',
    tried: 'a preflight of a browser (CORS)',
    operation: 'chat',
    ask: ({ send }) =>
      send({
        method: 'OPTIONS',
        path: OPERATIONS.chat.path,
        headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
      }),
    describe: header('access-control-allow-origin'),
  },
  {
    id: '4/trailing-slash',
    tried: 'a slash at the end of a path',
    operation: 'models',
    ask: (context) => withKey(context, 'GET', `${OPERATIONS.models.path}/`),
  },
  {
    id: '4/compression',
    tried: 'Accept-Encoding: gzip',
    operation: 'models',
    ask: (context) => withKey(context, 'GET', OPERATIONS.models.path, { 'accept-encoding': 'gzip' }),
    describe: header('content-encoding'),
  },
  {
    id: '4.1/unknown-query',
    requirement: '4.1/unknown-query',
    tried: 'a query that the document does not name',
    operation: 'models',
    ask: (context) => withKey(context, 'GET', `${OPERATIONS.models.path}?touchstone=1`),
  },
]

export const httpChecks: readonly Check[] = [
  ...jsonContentTypeChecks,
  ...LOOKS.map((look) => observationCheck({ requirement: '4/http', ...look })),
]
