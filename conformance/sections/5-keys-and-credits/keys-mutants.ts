import { KEY_PREFIX, OPERATION_NAMES, type Operation } from '../../../contract/facts.ts'
import { CHECKS } from '../checks.ts'
import {
  changeResponses,
  changeStatus,
  setHeader,
  rejectRequests,
  respondWith,
  setStatus,
} from '../../mutation/change/responses.ts'
import {
  isChatStream,
  isStreamRequest,
  matchAll,
  matchHeader,
  matchNot,
  matchOperation,
  type RequestMatcher,
} from '../../mutation/change/match.ts'
import { rewriteKey } from '../../mutation/change/requests.ts'
import { createStreamResponse } from '../../mutation/change/stream.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { EMULATOR_KEYS } from '../shared/mutants-emulator-keys.ts'
import { matchObserved, matchObservedStatus, matchUnexpectedStatus } from '../../mutation/result-match.ts'

const KEY_BODY = EMULATOR_KEYS.funded.slice(KEY_PREFIX.length)

function authorization(pattern: RegExp): RequestMatcher {
  return matchHeader('authorization', pattern)
}

/** Matches requests with this key, which may be a pattern. */
function bearer(key: string): RequestMatcher {
  return authorization(new RegExp(`^Bearer ${key}$`))
}

const withoutKey: RequestMatcher = ({ headers }) => !('authorization' in headers || 'x-api-key' in headers)

/** Credentials that a check of each operation must find if the target accepts them: `5/<name>-<operation>`. */
const INVALID_CREDENTIALS = [
  { name: 'no-header', what: 'a request without a key', match: withoutKey },
  { name: 'unknown-key', what: 'any key of the right form', match: authorization(/^Bearer sk-svc-.*unknown/) },
  { name: 'longer-key', what: 'a token that starts with a key', match: bearer(`${EMULATOR_KEYS.funded}x`) },
  { name: 'shorter-key', what: 'the start of a key', match: bearer(EMULATOR_KEYS.funded.slice(0, -1)) },
  {
    name: 'other-letter-case',
    what: 'a key in any letter case',
    match: bearer(KEY_PREFIX + KEY_BODY.toUpperCase()),
  },
  { name: 'other-header', what: 'a key in X-API-Key', match: matchHeader('x-api-key', /./) },
  { name: 'empty-token', what: 'a bearer header without a token', match: authorization(/^Bearer\s*$/) },
  { name: 'other-scheme', what: 'a key under any scheme', match: authorization(/^Basic /) },
  { name: 'no-scheme', what: 'a key without a scheme', match: authorization(/^sk-svc-/) },
  { name: 'prefix-in-capitals', what: 'a key with its prefix in capitals', match: authorization(/^Bearer SK-SVC-/) },
  { name: 'no-prefix', what: 'a key without its prefix', match: bearer(KEY_BODY) },
]

/** Returns the IDs of all checks of an operation. Each of them may fail if the target rejects valid keys. */
function checksOf(operation: Operation): readonly string[] {
  return CHECKS.filter((check) => check.operation === operation).map(({ id }) => id)
}

const forbidden: Mutant = {
  id: '5/forbidden-for-unauthorized',
  breaks: 'requests with missing and invalid keys get 403',
  kills: Object.fromEntries(
    INVALID_CREDENTIALS.flatMap(({ name }) =>
      OPERATION_NAMES.map((operation) => [`5/${name}-${operation}`, matchUnexpectedStatus(403)]),
    ),
  ),
  mayAffect: [
    '5/unknown-key-chat-stream',
    '5/no-header-chat-stream',
    '5/no-header-kept-connection',
    '5/other-last-character-models',
    '5/other-prefix-models',
    '5/revoked-key',
  ],
  hooks: changeStatus(401, setStatus(403)),
}

export const authenticationMutants: readonly Mutant[] = [
  ...INVALID_CREDENTIALS.flatMap(({ name, what, match }) =>
    OPERATION_NAMES.map((operation) => ({
      id: `5/${name}-let-in-${operation}`,
      breaks: `${operation} accepts ${what}`,
      kills: { [`5/${name}-${operation}`]: matchUnexpectedStatus(200) },
      ...(name === 'no-header' && operation === 'chat' ? { mayAffect: ['5/no-header-kept-connection'] } : {}),
      // Excludes streams, because separate mutants cover them.
      hooks: rewriteKey(matchOperation(operation, matchNot(isStreamRequest), match), EMULATOR_KEYS.funded),
    })),
  ),
  {
    id: '5/revoked-key-let-in',
    breaks: 'a revoked key stays valid',
    kills: { '5/revoked-key': matchUnexpectedStatus(200, { credential: 'revoked-key' }) },
    hooks: rewriteKey(bearer('sk-svc-touchstone-revoked'), EMULATOR_KEYS.funded),
  },
  {
    id: '5/no-header-let-in-chat-stream',
    breaks: 'a stream request needs no key',
    kills: { '5/no-header-chat-stream': matchUnexpectedStatus(200) },
    hooks: rewriteKey(matchAll(isChatStream, withoutKey), EMULATOR_KEYS.funded),
  },
  {
    id: '5/key-of-the-connection',
    breaks: 'a connection needs a key only for its first request',
    kills: { '5/no-header-kept-connection': matchUnexpectedStatus(200) },
    hooks: rewriteKey(
      matchOperation('chat', withoutKey, ({ firstHeaders }) => 'authorization' in firstHeaders),
      EMULATOR_KEYS.funded,
    ),
  },
  ...[
    {
      name: 'other-last-character',
      what: 'a key with any last character',
      match: bearer(`${EMULATOR_KEYS.funded.slice(0, -1)}(?!${EMULATOR_KEYS.funded.slice(-1)}).`),
    },
    { name: 'other-prefix', what: 'a key with any prefix', match: bearer(`sk-other-${KEY_BODY}`) },
  ].map(({ name, what, match }) => ({
    id: `5/${name}-let-in`,
    breaks: `the list of models accepts ${what}`,
    kills: { [`5/${name}-models`]: matchUnexpectedStatus(200) },
    hooks: rewriteKey(matchOperation('models', match), EMULATOR_KEYS.funded),
  })),
  {
    id: '5/query-let-in',
    breaks: 'the list of models accepts a key in the query',
    kills: { '5/query-models': matchUnexpectedStatus(200) },
    hooks: rewriteKey(
      ({ target, headers }) => target.includes(`key=${EMULATOR_KEYS.funded}`) && !('authorization' in headers),
      EMULATOR_KEYS.funded,
    ),
  },
  {
    id: '5/event-for-401',
    breaks: 'a stream request with an unknown key gets 200 and an error event',
    kills: { '5/unknown-key-chat-stream': matchUnexpectedStatus(200) },
    hooks: respondWith(
      matchAll(isChatStream, authorization(/^Bearer sk-svc-.*unknown/)),
      createStreamResponse('{"error":{"message":"invalid key"}}'),
    ),
  },
  ...OPERATION_NAMES.map((operation) => ({
    id: `5/valid-key-refused-${operation}`,
    breaks: `${operation} rejects valid keys`,
    kills: { [`5/valid-key-${operation}`]: matchUnexpectedStatus(401) },
    mayAffect: checksOf(operation),
    hooks: rejectRequests(matchOperation(operation), 401),
  })),
  forbidden,
  {
    id: '5/keys-of-another-form',
    breaks: 'the service issues keys without the prefix',
    kills: { '5/key-prefix': { code: 'key-without-prefix' } },
    fundedKey: 'key-of-another-form',
    hooks: rewriteKey(bearer('key-of-another-form'), EMULATOR_KEYS.funded),
  },
  {
    id: '5/scheme-in-its-letter-case',
    breaks: 'nothing: whether the letter case of the scheme matters is not specified',
    kills: { '5/bearer-letter-case': matchObservedStatus(401) },
    hooks: rejectRequests(authorization(/^bearer /), 401),
  },
  {
    id: '5/no-challenge',
    breaks: 'nothing: the headers of a 401 are not specified',
    kills: { '5/challenge-header': matchObserved({ kind: 'challenge', actualStatus: 401, value: null }) },
    hooks: changeResponses(() => true, setHeader('www-authenticate', undefined)),
  },
]
