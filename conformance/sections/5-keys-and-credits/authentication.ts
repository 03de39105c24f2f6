import { KEY_PREFIX, OPERATIONS } from '../../../contract/facts.ts'
import { type Check, defineCheck, calculateMaxCost } from '../../engine/check.ts'
import { UNKNOWN_KEY } from '../../traffic/control-requests.ts'
import * as expect from '../../findings/expect.ts'
import { createKeepAliveConnection } from '../../http/keep-alive-connection.ts'
import { isStaleConnectionError } from '../../http/breakdown.ts'
import { forOperations, sendWithModel } from '../shared/operation.ts'
import { invalidCredentialChecks } from './invalid-credentials.ts'
import { selectModel } from '../shared/common-form.ts'

/** Names of query parameters in which servers accept keys. RFC 6750 (2.3) defines `access_token`. */
const KEY_PARAMETERS = ['access_token', 'api_key', 'key', 'token'] as const

const INVALID_STREAMS = [
  {
    id: '5/unknown-key-chat-stream',
    title: 'returns 401 for a stream with an unknown key',
    credential: 'unknown-key',
    key: { invalid: UNKNOWN_KEY },
  },
  {
    id: '5/no-header-chat-stream',
    title: 'returns 401 for a stream without an Authorization header',
    credential: 'no-header',
    key: 'none',
  },
] as const

export const keyPrefixCheck = defineCheck({
  id: '5/key-prefix',
  requirement: '5/prefix',
  title: 'issues keys that start with the prefix',
  operation: 'models',
  async run({ keys, shared, catalog }) {
    const response = await shared.listModels()
    // Section 5 describes the keys of the documented service, which its console issues. An owner who declares other models
    // operates another server and issues its keys, so the sentence states nothing about their form.
    if (catalog.origin === 'declared' && !keys.funded.startsWith(KEY_PREFIX)) {
      return expect.observe(response, { tried: 'a key of another form' })
    }
    return expect.checkResponse(response, { rule: 'key-prefix' }, () =>
      keys.funded.startsWith(KEY_PREFIX) ? undefined : { code: 'key-without-prefix', params: {} },
    )
  },
})

export const authenticationChecks: readonly Check[] = [
  ...invalidCredentialChecks,
  // The specification does not state the status for unknown query parameters, so a target may also send another 4xx.
  defineCheck({
    id: '5/query-models',
    requirement: '5/bearer',
    title: 'rejects a valid key in the query instead of the header Authorization',
    operation: 'models',
    cost: { requests: 2 },
    async run({ keys, send, shared }) {
      const control = await shared.listModels()
      const { method, path } = OPERATIONS.models
      const query = new URLSearchParams(Object.fromEntries(KEY_PARAMETERS.map((name) => [name, keys.funded])))
      const response = await send({ method, path: `${path}?${query}`, key: 'none' })
      return expect.checkErrorResponses([{ difference: { credential: 'query' }, response }], [401, '4xx'], { control })
    },
  }),
  ...INVALID_STREAMS.map(({ id, title, credential, key }) =>
    defineCheck({
      id,
      requirement: '5/missing-or-invalid',
      title,
      operation: 'chat',
      cost: calculateMaxCost('chat', 2),
      async run({ chat, shared }) {
        const control = await shared.chat({ stream: true })
        const response = await chat({ stream: true }, { key })
        return expect.checkErrorResponse(response, 401, { control, difference: { credential } })
      },
    }),
  ),
  // An authenticated request does not authenticate later requests on the same connection.
  defineCheck({
    id: '5/no-header-kept-connection',
    requirement: '5/missing-or-invalid',
    title:
      'returns 401 for a request without an Authorization header, even after a request with a key on the same connection',
    operation: 'chat',
    cost: calculateMaxCost('chat', 3),
    alone: true,
    async run({ chat }) {
      const connection = createKeepAliveConnection()
      const control = await chat({}, { connection })
      const onSame = await chat({}, { connection, key: 'none' })
      connection.close()
      const response = isStaleConnectionError(onSame) ? await chat({}, { key: 'none' }) : onSame
      const outcome = expect.checkErrorResponse(response, 401, { control, difference: { credential: 'no-header' } })
      return response.reusedConnection === true ? { ...outcome, sequence: [control, response] } : outcome
    },
  }),
  defineCheck({
    id: '5/revoked-key',
    requirement: '5/missing-or-invalid',
    title: 'returns 401 for a key that has been revoked',
    operation: 'chat',
    needs: ['funded', 'chatModel', 'revoked'],
    declaration: 'keys.revoked',
    cost: calculateMaxCost('chat', 2),
    async run({ keys, shared }) {
      const control = await shared.chat()
      const response = await shared.chat({}, { key: { invalid: keys.revoked } })
      return expect.checkErrorResponse(response, 401, { control, difference: { credential: 'revoked-key' } })
    },
  }),
  ...forOperations(
    {
      models: '5/valid-key-models',
      chat: '5/valid-key-chat',
      images: '5/valid-key-images',
      transcriptions: '5/valid-key-transcriptions',
      speech: '5/valid-key-speech',
    },
    (operation, id) =>
      defineCheck({
        id,
        requirement: '5/valid-key',
        title: 'accepts a valid key',
        operation,
        // The check must not require a model, because model discovery fails if the target rejects the key.
        needs: ['funded'],
        async run(context) {
          const response = await (operation === 'models'
            ? context.shared.listModels()
            : sendWithModel(context.shared, operation, selectModel(context, operation)))
          return expect.checkAuthorized(response)
        },
      }),
  ),
  keyPrefixCheck,
  defineCheck({
    id: '5/bearer-letter-case',
    requirement: '5/scheme-letter-case',
    title: 'the handling of a scheme in lower case',
    operation: 'models',
    async run({ keys, listModels }) {
      // A target that accepts the scheme counts the request towards the limit of the funded key.
      const response = await listModels({ key: 'funded', headers: { authorization: `bearer ${keys.funded}` } })
      return expect.observe(response, { tried: '"bearer" in lower case' })
    },
  }),
  defineCheck({
    id: '5/challenge-header',
    requirement: '5/challenge',
    title: 'whether a 401 carries WWW-Authenticate',
    operation: 'models',
    async run({ shared }) {
      const response = await shared.listModels({ key: 'none' })
      return expect.observe(response, {
        observe: ({ status, error, headers }) =>
          error === undefined
            ? { kind: 'challenge', actualStatus: status, value: headers['www-authenticate'] ?? null }
            : undefined,
      })
    },
  }),
]
