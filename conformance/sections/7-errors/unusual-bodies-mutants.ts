import { matchAll, type RequestMatcher, matchOperation, matchBody } from '../../mutation/change/match.ts'
import { rejectRequests, respondWith } from '../../mutation/change/responses.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import { matchUnexpectedStatus } from '../../mutation/result-match.ts'
import type { ProxiedResponse, ProxyHooks } from '../../mutation/proxy-hooks.ts'
import { JSON_OPERATIONS, type JsonOperation } from '../../requests/build-request.ts'

interface UnusualBody {
  readonly name: string
  readonly pattern: RegExp
  /** Description of the body in the report. */
  readonly body: string
  readonly operations: readonly JsonOperation[]
}

const LONE_SURROGATE = /\\ud83d(?!\\ud[c-f])/

const UNUSUAL_BODIES: readonly UnusualBody[] = [
  {
    name: 'nan',
    pattern: /"temperature":NaN/,
    body: 'a body with "temperature":NaN',
    operations: ['chat'],
  },
  { name: 'nan', pattern: /"n":NaN/, body: 'a body with "n":NaN', operations: ['images'] },
  {
    name: 'nan',
    pattern: /"voice":NaN/,
    body: 'a body with "voice":NaN',
    operations: ['speech'],
  },
  {
    name: 'infinity',
    pattern: /1e999/,
    body: 'a body with "temperature":1e999',
    operations: ['chat'],
  },
  {
    name: 'lone-surrogate',
    pattern: LONE_SURROGATE,
    body: String.raw`a body with "\ud83d" in its text`,
    operations: JSON_OPERATIONS,
  },
  {
    name: 'byte-order-mark',
    pattern: /^\xef\xbb\xbf/,
    body: 'a body after a byte order mark',
    operations: JSON_OPERATIONS,
  },
]

const unusualJson: readonly Mutant[] = UNUSUAL_BODIES.flatMap(({ name, pattern, body, operations }) =>
  operations.map((operation) => ({
    id: `7/broken-by-${name}-${operation}`,
    breaks: `${operation} fails with 500 on ${body}`,
    kills: { [`7/unusual-json-${operation}`]: matchUnexpectedStatus(500, { body }) },
    hooks: rejectRequests(matchAll(matchOperation(operation), matchBody(pattern)), 500),
  })),
)

/** Response that nginx sends to a body larger than its `client_max_body_size`. */
const TOO_LARGE: ProxiedResponse = {
  status: 413,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<html><head><title>413 Request Entity Too Large</title></head></html>'),
}

/** Matches bodies larger than 1 MB, the default limit of nginx. */
const isLarge: RequestMatcher = ({ body }) => body.length > 1024 * 1024

/** Rejects each matching request with 500, and each later chat. */
function poison(match: RequestMatcher): ProxyHooks {
  let isPoisoned = false
  return rejectRequests((request) => {
    isPoisoned ||= match(request)
    return isPoisoned && matchOperation('chat')(request)
  }, 500)
}

export const unusualBodyMutants: readonly Mutant[] = [
  ...unusualJson,
  {
    id: '7/poisoned-by-surrogate',
    breaks: 'after a chat with a lone surrogate, every chat gets 500',
    kills: {
      '7/breakdown-chat': { code: 'requests-broke-down', params: { since: '7/unusual-json-chat' } },
    },
    hooks: poison(matchAll(matchOperation('chat'), matchBody(LONE_SURROGATE))),
  },
  {
    id: '7/large-body-413-chat',
    breaks: 'a proxy rejects a large body with 413 and a web page',
    kills: { '7/large-body-chat': { code: 'large-body-rejected', params: { actualStatus: 413 } } },
    hooks: respondWith(matchAll(matchOperation('chat'), isLarge), TOO_LARGE),
  },
  {
    id: '7/large-body-413-transcriptions',
    breaks: 'a proxy rejects a large audio file with 413 and a web page',
    kills: { '7/large-body-transcriptions': { code: 'large-body-rejected', params: { actualStatus: 413 } } },
    hooks: respondWith(matchAll(matchOperation('transcriptions'), isLarge), TOO_LARGE),
  },
  {
    id: '7/large-body-rejected',
    breaks: 'nothing: a target may reject a large body with any client error',
    kills: {
      '7/large-body-chat': { code: 'observed-response', params: { seen: { kind: 'body-limit', actualStatus: 413 } } },
    },
    hooks: rejectRequests(matchAll(matchOperation('chat'), isLarge), 413),
  },
]
