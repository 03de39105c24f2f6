import { KEY_PREFIX, type Operation } from '../../../contract/facts.ts'
import { type Check, type CheckContext, defineCheck, calculateMaxCost } from '../../engine/check.ts'
import { UNKNOWN_KEY } from '../../traffic/control-requests.ts'
import type { RequestOptions } from '../../requests/api-request.ts'
import * as expect from '../../findings/expect.ts'
import type { CredentialDefect } from '../../findings/request-difference.ts'
import { swapLetterCase } from '../../evidence/secrets.ts'
import { forOperations, sendPlainRequest } from '../shared/operation.ts'

interface InvalidCredential {
  readonly name: CredentialDefect
  readonly ids: Readonly<Partial<Record<Operation, string>>>
  readonly title: string
  readonly requirement: string
  /** Returns options whose `key` is `none` or invalid, so that other requests do not wait for its rate limit. */
  options(context: CheckContext): RequestOptions
}

const INVALID_CREDENTIALS: readonly InvalidCredential[] = [
  {
    name: 'no-header',
    ids: {
      models: '5/no-header-models',
      chat: '5/no-header-chat',
      images: '5/no-header-images',
      transcriptions: '5/no-header-transcriptions',
      speech: '5/no-header-speech',
    },
    title: 'returns 401 for a request without an Authorization header',
    requirement: '5/missing-or-invalid',
    options: () => ({ key: 'none' }),
  },
  {
    name: 'unknown-key',
    ids: {
      models: '5/unknown-key-models',
      chat: '5/unknown-key-chat',
      images: '5/unknown-key-images',
      transcriptions: '5/unknown-key-transcriptions',
      speech: '5/unknown-key-speech',
    },
    title: 'returns 401 for an unknown key',
    requirement: '5/missing-or-invalid',
    options: () => ({ key: { invalid: UNKNOWN_KEY } }),
  },
  {
    name: 'longer-key',
    ids: {
      models: '5/longer-key-models',
      chat: '5/longer-key-chat',
      images: '5/longer-key-images',
      transcriptions: '5/longer-key-transcriptions',
      speech: '5/longer-key-speech',
    },
    title: 'returns 401 for a valid key with an extra character',
    requirement: '5/missing-or-invalid',
    options: ({ keys }) => ({ key: { invalid: `${keys.funded}x` } }),
  },
  {
    name: 'shorter-key',
    ids: {
      models: '5/shorter-key-models',
      chat: '5/shorter-key-chat',
      images: '5/shorter-key-images',
      transcriptions: '5/shorter-key-transcriptions',
      speech: '5/shorter-key-speech',
    },
    title: 'returns 401 for a valid key without its last character',
    requirement: '5/missing-or-invalid',
    options: ({ keys }) => ({ key: { invalid: keys.funded.slice(0, -1) } }),
  },
  {
    name: 'other-letter-case',
    ids: {
      models: '5/other-letter-case-models',
      chat: '5/other-letter-case-chat',
      images: '5/other-letter-case-images',
      transcriptions: '5/other-letter-case-transcriptions',
      speech: '5/other-letter-case-speech',
    },
    title: 'returns 401 for a valid key in another letter case',
    requirement: '5/missing-or-invalid',
    options: ({ keys }) => ({ key: { invalid: inOtherLetterCase(keys.funded) } }),
  },
  {
    name: 'other-header',
    ids: {
      models: '5/other-header-models',
      chat: '5/other-header-chat',
      images: '5/other-header-images',
      transcriptions: '5/other-header-transcriptions',
      speech: '5/other-header-speech',
    },
    title: 'returns 401 for a valid key in a header other than Authorization',
    requirement: '5/bearer',
    options: ({ keys }) => ({ key: 'none', headers: { 'x-api-key': keys.funded, 'api-key': keys.funded } }),
  },
  {
    name: 'empty-token',
    ids: {
      models: '5/empty-token-models',
      chat: '5/empty-token-chat',
      images: '5/empty-token-images',
      transcriptions: '5/empty-token-transcriptions',
      speech: '5/empty-token-speech',
    },
    title: 'returns 401 for a Bearer header without a token',
    requirement: '5/bearer',
    options: () => ({ key: 'none', headers: { authorization: 'Bearer ' } }),
  },
  {
    name: 'other-scheme',
    ids: {
      models: '5/other-scheme-models',
      chat: '5/other-scheme-chat',
      images: '5/other-scheme-images',
      transcriptions: '5/other-scheme-transcriptions',
      speech: '5/other-scheme-speech',
    },
    title: 'returns 401 for a valid key with a scheme other than Bearer',
    requirement: '5/bearer',
    options: ({ keys }) => ({ key: 'none', headers: { authorization: `Basic ${keys.funded}` } }),
  },
  {
    name: 'no-scheme',
    ids: {
      models: '5/no-scheme-models',
      chat: '5/no-scheme-chat',
      images: '5/no-scheme-images',
      transcriptions: '5/no-scheme-transcriptions',
      speech: '5/no-scheme-speech',
    },
    title: 'returns 401 for a valid key without the word Bearer',
    requirement: '5/bearer',
    options: ({ keys }) => ({ key: 'none', headers: { authorization: keys.funded } }),
  },
  {
    name: 'no-prefix',
    ids: {
      models: '5/no-prefix-models',
      chat: '5/no-prefix-chat',
      images: '5/no-prefix-images',
      transcriptions: '5/no-prefix-transcriptions',
      speech: '5/no-prefix-speech',
    },
    title: 'returns 401 for a valid key without its prefix',
    requirement: '5/prefix',
    options: ({ keys }) => ({ key: { invalid: withoutPrefix(keys.funded) } }),
  },
  {
    name: 'prefix-in-capitals',
    ids: {
      models: '5/prefix-in-capitals-models',
      chat: '5/prefix-in-capitals-chat',
      images: '5/prefix-in-capitals-images',
      transcriptions: '5/prefix-in-capitals-transcriptions',
      speech: '5/prefix-in-capitals-speech',
    },
    title: 'returns 401 for a valid key with its prefix in capitals',
    requirement: '5/prefix',
    options: ({ keys }) => ({ key: { invalid: KEY_PREFIX.toUpperCase() + withoutPrefix(keys.funded) } }),
  },
  // The list of models alone gets the following credentials, to save requests.
  {
    name: 'other-last-character',
    ids: { models: '5/other-last-character-models' },
    title: 'returns 401 for a valid key with a different last character',
    requirement: '5/missing-or-invalid',
    options: ({ keys }) => ({ key: { invalid: withOtherLastCharacter(keys.funded) } }),
  },
  {
    name: 'other-prefix',
    ids: { models: '5/other-prefix-models' },
    title: 'returns 401 for a valid key with a different prefix',
    requirement: '5/prefix',
    options: ({ keys }) => ({ key: { invalid: `sk-other-${withoutPrefix(keys.funded)}` } }),
  },
]

/** Swaps the letter case of a key after its prefix. Appends a letter if there is none to swap. */
function inOtherLetterCase(key: string): string {
  const body = withoutPrefix(key)
  const swapped = swapLetterCase(body)
  return KEY_PREFIX + (swapped === body ? `${body}X` : swapped)
}

function withoutPrefix(key: string): string {
  return key.startsWith(KEY_PREFIX) ? key.slice(KEY_PREFIX.length) : 'touchstone-conformance-no-prefix'
}

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

function invalidCredentialCheck(operation: Operation, id: string, invalid: InvalidCredential): Check {
  return defineCheck({
    id,
    requirement: invalid.requirement,
    title: invalid.title,
    operation,
    cost: calculateMaxCost(operation, 2),
    async run(context) {
      const control = await sendPlainRequest(context.shared, operation)
      const response = await sendPlainRequest(context.shared, operation, invalid.options(context))
      return expect.checkErrorResponse(response, 401, { control, difference: { credential: invalid.name } })
    },
  })
}

export const invalidCredentialChecks: readonly Check[] = INVALID_CREDENTIALS.flatMap((invalid) =>
  forOperations(invalid.ids, (operation, id) => invalidCredentialCheck(operation, id, invalid)),
)
