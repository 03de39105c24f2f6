import { OPERATION_NAMES, KEY_PREFIX, type Operation, OPERATIONS } from '../../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck } from '../../engine/check.ts'
import { UNKNOWN_KEY } from '../../traffic/control-requests.ts'
import type { RequestOptions } from '../../requests/api-request.ts'
import * as expect from '../../findings/expect.ts'
import type { CredentialDefect } from '../../findings/request-difference.ts'
import { swapLetterCase } from '../../evidence/secrets.ts'
import { createKeepAliveConnection } from '../../http/keep-alive-connection.ts'
import { isStaleConnectionError } from '../../http/breakdown.ts'
import { calculateMaxCost, listPrerequisites, sendPlainRequest, sendWithModel } from '../shared/operation.ts'
import { selectModel } from '../shared/common-form.ts'

/** Names of query parameters in which servers accept keys. RFC 6750 (2.3) defines `access_token`. */
const KEY_PARAMETERS = ['access_token', 'api_key', 'key', 'token'] as const

interface InvalidCredential {
  readonly name: CredentialDefect
  readonly title: string
  readonly requirement: string
  /**
   * Returns options whose `key` is `none` or invalid. If a target responds to invalid credentials with 429, requests with
   * the funded key then do not wait for its limit.
   */
  options(context: CheckContext): RequestOptions
}

const INVALID_CREDENTIALS: readonly InvalidCredential[] = [
  {
    name: 'no-header',
    title: 'rejects a request without an Authorization header with 401',
    requirement: '5/missing-or-invalid',
    options: () => ({ key: 'none' }),
  },
  {
    name: 'unknown-key',
    title: 'rejects an unknown key with 401',
    requirement: '5/missing-or-invalid',
    options: () => ({ key: { invalid: UNKNOWN_KEY } }),
  },
  {
    name: 'longer-key',
    title: 'rejects a valid key with one more character with 401',
    requirement: '5/missing-or-invalid',
    options: ({ keys }) => ({ key: { invalid: `${keys.funded}x` } }),
  },
  {
    name: 'shorter-key',
    title: 'rejects a valid key without its last character with 401',
    requirement: '5/missing-or-invalid',
    options: ({ keys }) => ({ key: { invalid: keys.funded.slice(0, -1) } }),
  },
  {
    name: 'other-letter-case',
    title: 'rejects a valid key in another letter case with 401',
    requirement: '5/missing-or-invalid',
    options: ({ keys }) => ({ key: { invalid: inOtherLetterCase(keys.funded) } }),
  },
  {
    name: 'other-header',
    title: 'rejects a valid key in a header other than Authorization with 401',
    requirement: '5/bearer',
    options: ({ keys }) => ({ key: 'none', headers: { 'x-api-key': keys.funded, 'api-key': keys.funded } }),
  },
  {
    name: 'empty-token',
    title: 'rejects a Bearer header without a token with 401',
    requirement: '5/bearer',
    options: () => ({ key: 'none', headers: { authorization: 'Bearer ' } }),
  },
  {
    name: 'other-scheme',
    title: 'rejects a valid key with a scheme other than Bearer with 401',
    requirement: '5/bearer',
    options: ({ keys }) => ({ key: 'none', headers: { authorization: `Basic ${keys.funded}` } }),
  },
  {
    name: 'no-scheme',
    title: 'rejects a valid key without the word Bearer with 401',
    requirement: '5/bearer',
    options: ({ keys }) => ({ key: 'none', headers: { authorization: keys.funded } }),
  },
  {
    name: 'no-prefix',
    title: 'rejects a valid key without its prefix with 401',
    requirement: '5/prefix',
    options: ({ keys }) => ({ key: { invalid: withoutPrefix(keys.funded) } }),
  },
  {
    name: 'prefix-in-capitals',
    title: 'rejects a valid key with its prefix in capitals with 401',
    requirement: '5/prefix',
    options: ({ keys }) => ({ key: { invalid: KEY_PREFIX.toUpperCase() + withoutPrefix(keys.funded) } }),
  },
]

/**
 * Swaps the letter case of a key after its prefix, because another check tests the prefix. Appends a letter if there is
 * none to swap.
 */
function inOtherLetterCase(key: string): string {
  const body = withoutPrefix(key)
  const swapped = swapLetterCase(body)
  return KEY_PREFIX + (swapped === body ? `${body}X` : swapped)
}

function withoutPrefix(key: string): string {
  return key.startsWith(KEY_PREFIX) ? key.slice(KEY_PREFIX.length) : 'touchstone-conformance-no-prefix'
}

/** Credentials that the suite sends only to the list of models, to save requests. */
const MODELS_ONLY_CREDENTIALS: readonly InvalidCredential[] = [
  {
    name: 'other-last-character',
    title: 'rejects a valid key with a different last character with 401',
    requirement: '5/missing-or-invalid',
    options: ({ keys }) => ({ key: { invalid: withOtherLastCharacter(keys.funded) } }),
  },
  {
    name: 'other-prefix',
    title: 'rejects a valid key with a different prefix with 401',
    requirement: '5/prefix',
    options: ({ keys }) => ({ key: { invalid: `sk-other-${withoutPrefix(keys.funded)}` } }),
  },
]

/**
 * Replaces the last character with its successor. If a target decodes keys as Base64, the two characters then differ in
 * the lowest bits, which a decoder may ignore. Replaces a digit by a letter instead, because owners number their keys,
 * and `sk-svc-test-2` may be valid, too.
 */
export function withOtherLastCharacter(key: string): string {
  const last = key.slice(-1)
  const other = /[a-yA-Y]/.test(last) ? String.fromCharCode(last.charCodeAt(0) + 1) : 'A'
  return `${key.slice(0, -1)}${other}`
}

function invalidCredentialCheck(operation: Operation, invalid: InvalidCredential): Check {
  return defineCheck({
    id: `5/${invalid.name}-${operation}`,
    requirement: invalid.requirement,
    title: invalid.title,
    operation,
    needs: listPrerequisites(operation),
    cost: calculateMaxCost(operation, 2),
    async run(context) {
      const control = await sendPlainRequest(context.shared, operation)
      const response = await sendPlainRequest(context.shared, operation, invalid.options(context))
      return expect.checkErrorResponse(response, 401, { control, difference: { credential: invalid.name } })
    },
  })
}

// The specification does not state the status for unknown query parameters, so a target may also send another 4xx.
export const keyInQueryCheck = defineCheck({
  id: '5/query-models',
  requirement: '5/bearer',
  title: 'rejects a valid key in the query instead of the header Authorization',
  operation: 'models',
  needs: ['funded'],
  cost: { requests: 2 },
  async run({ keys, send, shared }) {
    const control = await shared.listModels()
    const { method, path } = OPERATIONS.models
    const query = new URLSearchParams(Object.fromEntries(KEY_PARAMETERS.map((name) => [name, keys.funded])))
    const response = await send({ method, path: `${path}?${query}`, key: 'none' })
    return expect.checkErrorResponses([{ difference: { credential: 'query' }, response }], [401, '4xx'], { control })
  },
})

function validKeyCheck(operation: Operation): Check {
  return defineCheck({
    id: `5/valid-key-${operation}`,
    requirement: '5/valid-key',
    title: 'accepts a valid key',
    operation,
    // The check must not require a model, because model discovery fails if the target rejects the key.
    needs: ['funded'],
    cost: calculateMaxCost(operation, 1),
    async run(context) {
      const response = await (operation === 'models'
        ? context.shared.listModels()
        : sendWithModel(context.shared, operation, selectModel(context, operation)))
      return expect.checkAuthorized(response)
    },
  })
}

export const unknownKeyStreamCheck = defineCheck({
  id: '5/unknown-key-chat-stream',
  requirement: '5/missing-or-invalid',
  title: 'rejects a stream with an unknown key with status 401',
  operation: 'chat',
  needs: ['funded', 'chatModel'],
  cost: calculateMaxCost('chat', 2),
  async run({ chat, shared }) {
    const control = await shared.chat({ stream: true })
    const response = await chat({ stream: true }, { key: { invalid: UNKNOWN_KEY } })
    return expect.checkErrorResponse(response, 401, { control, difference: { credential: 'unknown-key' } })
  },
})

export const noHeaderStreamCheck = defineCheck({
  id: '5/no-header-chat-stream',
  requirement: '5/missing-or-invalid',
  title: 'rejects a stream without an Authorization header with status 401',
  operation: 'chat',
  needs: ['funded', 'chatModel'],
  cost: calculateMaxCost('chat', 2),
  async run({ chat, shared }) {
    const control = await shared.chat({ stream: true })
    const response = await chat({ stream: true }, { key: 'none' })
    return expect.checkErrorResponse(response, 401, { control, difference: { credential: 'no-header' } })
  },
})

// Every request must contain a key: an authenticated request does not authenticate later requests on the same
// connection.
export const noHeaderKeepAliveCheck = defineCheck({
  id: '5/no-header-kept-connection',
  requirement: '5/missing-or-invalid',
  title:
    'rejects a request without an Authorization header with 401, even after a request with a key on the same connection',
  operation: 'chat',
  needs: ['funded', 'chatModel'],
  cost: calculateMaxCost('chat', 3),
  async run({ chat }) {
    const connection = createKeepAliveConnection()
    const control = await chat({}, { connection })
    const onSame = await chat({}, { connection, key: 'none' })
    connection.close()
    const response = isStaleConnectionError(onSame) ? await chat({}, { key: 'none' }) : onSame
    return expect.checkErrorResponse(response, 401, { control, difference: { credential: 'no-header' } })
  },
})

export const keyPrefixCheck = defineCheck({
  id: '5/key-prefix',
  requirement: '5/prefix',
  title: 'issues keys that start with the prefix',
  operation: 'models',
  needs: ['funded'],
  cost: { requests: 1 },
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

export const bearerLetterCaseCheck = defineCheck({
  id: '5/bearer-letter-case',
  requirement: '5/scheme-letter-case',
  title: 'the handling of a scheme in lower case',
  operation: 'models',
  needs: ['funded'],
  cost: { requests: 1 },
  async run({ keys, listModels }) {
    // A target that accepts the scheme counts the request towards the limit of the funded key.
    const response = await listModels({ key: 'funded', headers: { authorization: `bearer ${keys.funded}` } })
    return expect.observe(response, { tried: '"bearer" in lower case' })
  },
})

export const challengeCheck = defineCheck({
  id: '5/challenge-header',
  requirement: '5/challenge',
  title: 'whether a 401 carries WWW-Authenticate',
  operation: 'models',
  needs: ['funded'],
  cost: { requests: 1 },
  async run({ shared }) {
    const response = await shared.listModels({ key: 'none' })
    return expect.observe(response, {
      observe: ({ status, error, headers }) =>
        error === undefined
          ? { kind: 'challenge', actualStatus: status, value: headers['www-authenticate'] ?? null }
          : undefined,
    })
  },
})

export const authenticationChecks: readonly Check[] = [
  ...INVALID_CREDENTIALS.flatMap((invalid) =>
    OPERATION_NAMES.map((operation) => invalidCredentialCheck(operation, invalid)),
  ),
  ...MODELS_ONLY_CREDENTIALS.map((invalid) => invalidCredentialCheck('models', invalid)),
  keyInQueryCheck,
  unknownKeyStreamCheck,
  noHeaderStreamCheck,
  noHeaderKeepAliveCheck,
  ...OPERATION_NAMES.map(validKeyCheck),
  keyPrefixCheck,
  bearerLetterCaseCheck,
  challengeCheck,
]
