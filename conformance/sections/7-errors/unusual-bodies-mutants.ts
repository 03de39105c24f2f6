import {
  matchBody,
  matchOperation,
  type RequestMatcher,
  matchAll,
  matchHeader,
  matchNot,
} from '../../mutation/change/match.ts'
import { rejectRequests, respondWith, createErrorResponse } from '../../mutation/change/responses.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import type { ProxiedResponse, ProxyHooks } from '../../mutation/proxy-hooks.ts'
import { JSON_OPERATIONS, type JsonOperation } from '../../requests/build-request.ts'
import { matchObserved, matchUnexpectedStatus } from '../../mutation/result-match.ts'

interface UnusualBody {
  readonly name: string
  readonly pattern: RegExp
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

/** Matches forms that contain the file, so that they do not match the checks of missing fields. */
const withFile = matchOperation(
  'transcriptions',
  matchHeader('content-type', /boundary=/),
  matchBody(/filename="speech\.wav"/),
)
const isComplete = matchBody(/--\r\n$/)
const endsAfterPart = matchBody(/[^-]\r\n$/)

const BROKEN_FORMS = [
  {
    name: 'boundary',
    body: 'a form whose header names another boundary',
    matches: matchHeader('content-type', /-other$/),
  },
  {
    name: 'end',
    body: 'a form without its last boundary',
    matches: matchAll(matchNot(isComplete), endsAfterPart),
  },
  {
    name: 'cut',
    body: 'a form that ends in the middle of the file',
    matches: matchAll(matchNot(isComplete), matchNot(endsAfterPart)),
  },
  { name: 'nameless', body: 'a form whose file has no name', matches: matchNot(matchBody(/name="file"/)) },
]

export const unusualBodyMutants: readonly Mutant[] = [
  ...UNUSUAL_BODIES.flatMap(({ name, pattern, body, operations }) =>
    operations.map((operation) => ({
      id: `7/broken-by-${name}-${operation}`,
      breaks: `${operation} fails with 500 on ${body}`,
      kills: { [`7/unusual-json-${operation}`]: matchUnexpectedStatus(500, { body }) },
      hooks: rejectRequests(matchOperation(operation, matchBody(pattern)), 500),
    })),
  ),
  {
    id: '7/poisoned-by-surrogate',
    breaks: 'after a chat with a lone surrogate, every chat gets 500',
    kills: { '7/breakdown-chat': { code: 'requests-broke-down', params: { since: '7/unusual-json-chat' } } },
    hooks: poison(matchOperation('chat', matchBody(LONE_SURROGATE))),
  },
  {
    id: '7/large-body-413-chat',
    breaks: 'a proxy rejects a large body with 413 and a web page',
    kills: { '7/large-body-chat': { code: 'large-body-rejected', params: { actualStatus: 413 } } },
    hooks: respondWith(matchOperation('chat', isLarge), TOO_LARGE),
  },
  {
    id: '7/large-body-413-transcriptions',
    breaks: 'a proxy rejects a large audio file with 413 and a web page',
    kills: { '7/large-body-transcriptions': { code: 'large-body-rejected', params: { actualStatus: 413 } } },
    hooks: respondWith(matchOperation('transcriptions', isLarge), TOO_LARGE),
  },
  {
    id: '7/large-body-rejected',
    breaks: 'nothing: a target may reject a large body with any client error',
    kills: { '7/large-body-chat': matchObserved({ kind: 'body-limit', actualStatus: 413 }) },
    hooks: rejectRequests(matchOperation('chat', isLarge), 413),
  },
  ...BROKEN_FORMS.map(({ name, body, matches }) => ({
    id: `7/broken-by-form-${name}`,
    breaks: `transcriptions fail with 500 on ${body}`,
    kills: { '7/broken-form-transcriptions': matchUnexpectedStatus(500, { body }) },
    hooks: rejectRequests(matchAll(withFile, matches), 500),
  })),
  {
    id: '7/form-awaited',
    breaks: 'transcriptions wait for the end of a form without its last boundary',
    kills: { '7/broken-form-transcriptions': { code: 'no-response', params: { actualStatus: 0, error: 'timeout' } } },
    hooks: respondWith(matchAll(withFile, matchNot(isComplete)), { ...createErrorResponse(400), isWithheld: true }),
    timeoutMs: 3000,
  },
]
