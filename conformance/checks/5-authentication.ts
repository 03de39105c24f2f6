import { KEY_PREFIX } from '../../contract/facts.ts'
import type { Operation } from '../../contract/facts.ts'
import { defineCheck } from '../engine/check.ts'
import type { Check, CheckContext, RequestOptions } from '../engine/check.ts'
import * as expect from '../outcomes/expect.ts'
import { swapLetterCase } from '../evidence/secrets.ts'
import { keepConnection } from '../http/kept-connection.ts'
import { isClosedUnasked } from './4-connection.ts'
import { ALL_OPERATIONS, costOf, needsOf, plainRequest, requestWithModel } from './operation.ts'
import { modelFor } from './usual-form.ts'

/** Of the right form, and no service gave it out. */
const UNKNOWN_KEY = `${KEY_PREFIX}touchstone-conformance-unknown-key`

interface BadCredential {
  readonly name: string
  readonly title: string
  readonly requirement: string
  options(context: CheckContext): RequestOptions
}

const BAD_CREDENTIALS: readonly BadCredential[] = [
  {
    name: 'no-header',
    title: 'a request without an Authorization header is refused with 401',
    requirement: '5/missing-or-invalid',
    options: () => ({ key: null }),
  },
  {
    name: 'unknown-key',
    title: 'a key that the service did not give out is refused with 401',
    requirement: '5/missing-or-invalid',
    options: () => ({ key: UNKNOWN_KEY }),
  },
  {
    name: 'longer-key',
    title: 'a valid key with a character more is refused with 401',
    requirement: '5/missing-or-invalid',
    options: ({ keys }) => ({ key: `${keys.funded}x` }),
  },
  {
    name: 'shorter-key',
    title: 'a valid key without its last character is refused with 401',
    requirement: '5/missing-or-invalid',
    options: ({ keys }) => ({ key: keys.funded.slice(0, -1) }),
  },
  {
    name: 'other-letter-case',
    title: 'a valid key in another letter case is refused with 401',
    requirement: '5/missing-or-invalid',
    options: ({ keys }) => ({ key: inOtherLetterCase(keys.funded) }),
  },
  {
    name: 'other-header',
    title: 'a valid key in another header than Authorization is refused with 401',
    requirement: '5/bearer',
    options: ({ keys }) => ({ key: null, headers: { 'x-api-key': keys.funded, 'api-key': keys.funded } }),
  },
  {
    name: 'empty-token',
    title: 'a bearer header without a token is refused with 401',
    requirement: '5/bearer',
    options: () => ({ headers: { authorization: 'Bearer ' } }),
  },
  {
    name: 'other-scheme',
    title: 'a valid key under another scheme than Bearer is refused with 401',
    requirement: '5/bearer',
    options: ({ keys }) => ({ headers: { authorization: `Basic ${keys.funded}` } }),
  },
  {
    name: 'no-scheme',
    title: 'a valid key without the word Bearer is refused with 401',
    requirement: '5/bearer',
    options: ({ keys }) => ({ headers: { authorization: keys.funded } }),
  },
  {
    name: 'no-prefix',
    title: 'a valid key without its prefix is refused with 401',
    requirement: '5/prefix',
    options: ({ keys }) => ({ key: withoutPrefix(keys.funded) }),
  },
  {
    name: 'prefix-in-capitals',
    title: 'a valid key with its prefix in capitals is refused with 401',
    requirement: '5/prefix',
    options: ({ keys }) => ({ key: KEY_PREFIX.toUpperCase() + withoutPrefix(keys.funded) }),
  },
]

/** The prefix as it is, so that its letter case is left to its own check. A key without letters gets one. */
function inOtherLetterCase(key: string): string {
  const body = withoutPrefix(key)
  const swapped = swapLetterCase(body)
  return KEY_PREFIX + (swapped === body ? `${body}X` : swapped)
}

function withoutPrefix(key: string): string {
  return key.startsWith(KEY_PREFIX) ? key.slice(KEY_PREFIX.length) : 'touchstone-conformance-no-prefix'
}

function badCredentialCheck(operation: Operation, bad: BadCredential): Check {
  return defineCheck({
    id: `5/${bad.name}-${operation}`,
    requirement: bad.requirement,
    title: bad.title,
    operation,
    needs: needsOf(operation),
    cost: costOf(operation, 2),
    async run(context) {
      const twin = await plainRequest(context, operation)
      const refused = await plainRequest(context, operation, bad.options(context))
      return expect.refusal(refused, 401, { becauseTwinWorks: twin })
    },
  })
}

function validKeyCheck(operation: Operation): Check {
  return defineCheck({
    id: `5/valid-key-${operation}`,
    requirement: '5/valid-key',
    title: 'a valid key is not refused with 401',
    operation,
    // A target that refuses the key lets no model be found.
    needs: ['key'],
    cost: costOf(operation, 1),
    async run(context) {
      const answer = await (operation === 'models'
        ? context.listModels()
        : requestWithModel(context, operation, modelFor(context, operation)))
      return expect.holds(answer, 'not 401', () => undefined)
    },
  })
}

export const unknownKeyStream = defineCheck({
  id: '5/unknown-key-chat-stream',
  requirement: '5/missing-or-invalid',
  title: 'a stream with a key that the service did not give out is refused with the status 401',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ chat }) {
    const twin = await chat({ stream: true })
    const refused = await chat({ stream: true }, { key: UNKNOWN_KEY })
    return expect.refusal(refused, 401, { becauseTwinWorks: twin })
  },
})

export const noHeaderStream = defineCheck({
  id: '5/no-header-chat-stream',
  requirement: '5/missing-or-invalid',
  title: 'a stream without an Authorization header is refused with the status 401',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 2),
  async run({ chat }) {
    const twin = await chat({ stream: true })
    const refused = await chat({ stream: true }, { key: null })
    return expect.refusal(refused, 401, { becauseTwinWorks: twin })
  },
})

/** "Every request": a connection that carried a key once carries none for those that follow. */
export const noHeaderKept = defineCheck({
  id: '5/no-header-kept-connection',
  requirement: '5/missing-or-invalid',
  title: 'without an Authorization header a request is refused with 401 also where one with a key went before it',
  operation: 'chat',
  needs: ['key', 'chatModel'],
  cost: costOf('chat', 3),
  async run({ chat }) {
    const connection = keepConnection()
    const twin = await chat({}, { connection })
    const onSame = await chat({}, { connection, key: null })
    connection.close()
    const refused = isClosedUnasked(onSame) ? await chat({}, { key: null }) : onSame
    return expect.refusal(refused, 401, { becauseTwinWorks: twin })
  },
})

export const keyPrefix = defineCheck({
  id: '5/key-prefix',
  requirement: '5/prefix',
  title: 'a key that works starts with the prefix',
  operation: 'models',
  needs: ['key'],
  cost: { requests: 1 },
  async run({ keys, listModels }) {
    const answer = await listModels()
    return expect.holds(answer, `a key that starts with ${KEY_PREFIX}`, () =>
      keys.funded.startsWith(KEY_PREFIX) ? undefined : 'a key that starts otherwise was accepted',
    )
  },
})

export const bearerLetterCase = defineCheck({
  id: '5/bearer-letter-case',
  requirement: '5/scheme-letter-case',
  title: 'what a scheme in lower case gives',
  operation: 'models',
  needs: ['key'],
  cost: { requests: 1 },
  async run({ keys, listModels }) {
    const answer = await listModels({ headers: { authorization: `bearer ${keys.funded}` } })
    return expect.observed(answer, (seen) => `"bearer" in lower case: ${expect.answered(seen)}`)
  },
})

export const challenge = defineCheck({
  id: '5/challenge-header',
  requirement: '5/challenge',
  title: 'whether a 401 carries WWW-Authenticate',
  operation: 'models',
  needs: ['key'],
  cost: { requests: 1 },
  async run({ listModels }) {
    const answer = await listModels({ key: null })
    return expect.observed(answer, ({ status, headers }) => {
      const value = headers['www-authenticate']
      return value === undefined ? `${status} without WWW-Authenticate` : `${status} with WWW-Authenticate: ${value}`
    })
  },
})

export const authenticationChecks: readonly Check[] = [
  ...BAD_CREDENTIALS.flatMap((bad) => ALL_OPERATIONS.map((operation) => badCredentialCheck(operation, bad))),
  unknownKeyStream,
  noHeaderStream,
  noHeaderKept,
  ...ALL_OPERATIONS.map(validKeyCheck),
  keyPrefix,
  bearerLetterCase,
  challenge,
]
