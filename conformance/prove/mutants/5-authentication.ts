import { KEY_PREFIX, type Operation } from '../../../contract/facts.ts'
import { CHECKS } from '../../checks/all.ts'
import { changeResponses, changeStatus, header, reject, reply, status } from '../change/responses.ts'
import { all, isStreamRequest, type Match, not, to, withHeader } from '../change/match.ts'
import { rewriteKey } from '../change/requests.ts'
import { frame } from '../change/stream.ts'
import type { Mutant } from '../mutant.ts'
import { EMULATOR_KEYS, OPERATION_NAMES } from './operations.ts'
import { observedStatus, unexpectedStatus } from '../result-match.ts'

const KEY_BODY = EMULATOR_KEYS.funded.slice(KEY_PREFIX.length)

interface Gap {
  readonly name: string
  readonly what: string
  readonly match: Match
}

function authorization(pattern: RegExp): Match {
  return withHeader('authorization', pattern)
}

const without: Match = ({ headers }) => !('authorization' in headers || 'x-api-key' in headers)

/** Invalid credentials that a careless target accepts. */
const GAPS: readonly Gap[] = [
  { name: 'no-header', what: 'a request without a key', match: without },
  { name: 'unknown-key', what: 'any key of the right form', match: authorization(/^Bearer sk-svc-.*unknown/) },
  {
    name: 'longer-key',
    what: 'whatever begins with a key',
    match: authorization(new RegExp(`^Bearer ${EMULATOR_KEYS.funded}x$`)),
  },
  {
    name: 'shorter-key',
    what: 'whatever a key begins with',
    match: authorization(new RegExp(`^Bearer ${EMULATOR_KEYS.funded.slice(0, -1)}$`)),
  },
  {
    name: 'other-letter-case',
    what: 'a key in any letter case',
    match: authorization(new RegExp(`^Bearer ${KEY_PREFIX}${KEY_BODY.toUpperCase()}$`)),
  },
  {
    name: 'other-header',
    what: 'a key in X-API-Key',
    match: withHeader('x-api-key', /./),
  },
  { name: 'empty-token', what: 'a bearer header without a token', match: authorization(/^Bearer\s*$/) },
  { name: 'other-scheme', what: 'a key under any scheme', match: authorization(/^Basic /) },
  { name: 'no-scheme', what: 'a key without a scheme', match: authorization(/^sk-svc-/) },
  { name: 'prefix-in-capitals', what: 'a key with its prefix in capitals', match: authorization(/^Bearer SK-SVC-/) },
  { name: 'no-prefix', what: 'a key without its prefix', match: authorization(new RegExp(`^Bearer ${KEY_BODY}$`)) },
]

const asEvent: Mutant = {
  id: '5/event-for-401',
  breaks: 'a stream with an unknown key is a 200 with an event that says so',
  kills: { '5/unknown-key-chat-stream': unexpectedStatus(200) },
  wire: reply(all(to('chat'), isStreamRequest, authorization(/^Bearer sk-svc-.*unknown/)), {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: Buffer.from(frame('{"error":{"message":"invalid key"}}')),
  }),
}

const letIn: readonly Mutant[] = GAPS.flatMap(({ name, what, match }) =>
  OPERATION_NAMES.map((operation) => ({
    id: `5/${name}-let-in-${operation}`,
    breaks: `${operation} lets in ${what}`,
    kills: { [`5/${name}-${operation}`]: unexpectedStatus(200) },
    ...(name === 'no-header' && operation === 'chat' ? { mayAffect: ['5/no-header-kept-connection'] } : {}),
    // A separate check tests streams.
    wire: rewriteKey(all(to(operation), not(isStreamRequest), match), EMULATOR_KEYS.funded),
  })),
)

const letInBeside: readonly Mutant[] = [
  {
    id: '5/no-header-let-in-chat-stream',
    breaks: 'a stream needs no key',
    kills: { '5/no-header-chat-stream': unexpectedStatus(200) },
    wire: rewriteKey(all(to('chat'), isStreamRequest, without), EMULATOR_KEYS.funded),
  },
  {
    id: '5/key-of-the-connection',
    breaks: 'a connection that carried a key once needs none any more',
    kills: { '5/no-header-kept-connection': unexpectedStatus(200) },
    wire: rewriteKey(
      all(to('chat'), without, ({ firstHeaders }) => 'authorization' in firstHeaders),
      EMULATOR_KEYS.funded,
    ),
  },
]

/** If valid keys are rejected, every check of the operation is affected. */
function checksOf(operation: Operation): readonly string[] {
  return CHECKS.filter((check) => check.operation === operation).map(({ id }) => id)
}

const rejectedKeys: readonly Mutant[] = OPERATION_NAMES.map((operation) => ({
  id: `5/valid-key-refused-${operation}`,
  breaks: `${operation} rejects valid keys`,
  kills: { [`5/valid-key-${operation}`]: unexpectedStatus(401) },
  mayAffect: checksOf(operation),
  wire: reject(to(operation), 401),
}))

const forbidden: Mutant = {
  id: '5/forbidden-for-unauthorized',
  breaks: 'missing and invalid keys are answered with 403',
  kills: Object.fromEntries(
    GAPS.flatMap(({ name }) => OPERATION_NAMES.map((operation) => [`5/${name}-${operation}`, unexpectedStatus(403)])),
  ),
  mayAffect: ['5/unknown-key-chat-stream', '5/no-header-chat-stream', '5/no-header-kept-connection'],
  wire: changeStatus(401, status(403)),
}

const openPoints: readonly Mutant[] = [
  {
    id: '5/keys-of-another-form',
    breaks: 'the service gives out keys without the prefix',
    kills: { '5/key-prefix': { code: 'key-without-prefix' } },
    fundedKey: 'key-of-another-form',
    wire: rewriteKey(authorization(/^Bearer key-of-another-form$/), EMULATOR_KEYS.funded),
  },
  {
    id: '5/scheme-in-its-letter-case',
    breaks: 'nothing: whether the letter case of the scheme matters is not specified',
    kills: { '5/bearer-letter-case': observedStatus(401) },
    wire: reject(authorization(/^bearer /), 401),
  },
  {
    id: '5/no-challenge',
    breaks: 'nothing: the headers of a 401 are not specified',
    kills: {
      '5/challenge-header': {
        code: 'observed-response',
        params: { seen: { kind: 'challenge', actualStatus: 401, value: null } },
      },
    },
    wire: changeResponses(() => true, header('www-authenticate', undefined)),
  },
]

export const authenticationMutants: readonly Mutant[] = [
  ...letIn,
  ...letInBeside,
  asEvent,
  ...rejectedKeys,
  forbidden,
  ...openPoints,
]
