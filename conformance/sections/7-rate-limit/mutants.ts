import {
  changeSuccesses,
  changeStatus,
  setHeader,
  createErrorResponse,
  rejectRequests,
  respondWith,
  setStatus,
} from '../../mutation/change/responses.ts'
import { matchBody, matchFieldsOf, matchHeader, matchOperation } from '../../mutation/change/match.ts'
import { rewriteKey } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import type { ProxyHooks, ProxiedResponse } from '../../mutation/proxy-hooks.ts'
import { EMULATOR_KEYS, matchKey } from '../shared/mutants-emulator-keys.ts'
import {
  matchObserved,
  matchObservedStatus,
  matchOperationBreakdown,
  matchUnexpectedStatus,
} from '../../mutation/result-match.ts'

const limitedChat = matchOperation('chat', matchKey('limited'))

function tooManyRequests(seconds: number): ProxiedResponse {
  const limited = createErrorResponse(429)
  return { ...limited, headers: { ...limited.headers, 'retry-after': String(seconds) } }
}

/** Time for which the limit of one key applies to all keys, in ms. It is shorter than `Retry-After`. */
const LEAK_MS = 800

/** Rejects the chats of all keys for a short time after one key gets a 429. A request without a key still gets a 401. */
function leakLimit(): ProxyHooks {
  const chatWithKey = matchOperation('chat', matchHeader('authorization', /./))
  let limitedUntilMs = 0
  const limited = tooManyRequests(1)
  return {
    onRequest: (request) => (chatWithKey(request) && Date.now() < limitedUntilMs ? limited : request),
    onResponse(response, request) {
      if (response.status === 429 && limitedChat(request)) limitedUntilMs = Date.now() + LEAK_MS
      return response
    },
  }
}

export const rateLimitMutants: readonly Mutant[] = [
  {
    id: '7/no-limit',
    breaks: 'the rate limit of a key is not enforced',
    kills: { '7/rate-limit-exceeded': { code: 'limit-not-enforced', params: { requests: 20, rejected: 0 } } },
    hooks: rewriteKey(limitedChat, EMULATOR_KEYS.funded),
  },
  {
    id: '7/unavailable-for-429',
    breaks: 'requests beyond the limit get 503',
    kills: { '7/breakdown-chat': matchOperationBreakdown('chat', 503) },
    // After a second, the limit may allow the repeat of a rejected request.
    mayAffect: ['7/rate-limit-exceeded', '7/flakes'],
    hooks: changeStatus(429, setStatus(503)),
  },
  {
    id: '7/forbidden-for-429',
    breaks: 'requests beyond the limit get 403',
    kills: { '7/rate-limit-exceeded': matchUnexpectedStatus(403, { parallel: 7 }) },
    hooks: changeStatus(429, setStatus(403)),
  },
  {
    id: '7/no-credits-for-429',
    breaks: 'requests beyond the limit get 402, as if the account had no credits',
    kills: {
      '7/rate-limit-exceeded': {
        code: 'limit-not-enforced',
        params: { requests: 7, actualStatus: 402, servedAfterS: 1 },
      },
    },
    hooks: changeStatus(429, setStatus(402)),
  },
  {
    id: '7/limit-for-all-keys',
    breaks: 'if one key exceeds its limit, all keys are rejected',
    kills: { '7/other-key-unaffected': { code: 'limit-shared-between-keys' } },
    mayAffect: ['7/rate-limit-exceeded'],
    hooks: leakLimit(),
  },
  {
    id: '7/no-retry-after',
    breaks: 'a 429 has no Retry-After',
    kills: { '7/retry-after': { code: 'missing-header', params: { header: 'Retry-After' } } },
    hooks: changeStatus(429, setHeader('retry-after', undefined)),
  },
  {
    id: '7/retry-at-once',
    breaks: 'the Retry-After of a 429 is 0',
    kills: { '7/retry-after': { code: 'wrong-header', params: { header: 'Retry-After', actual: '0' } } },
    hooks: changeStatus(429, setHeader('retry-after', '0')),
  },
  {
    id: '7/retry-after-in-ms',
    breaks: 'the Retry-After of a 429 is in milliseconds',
    kills: { '7/retry-after': { code: 'wrong-header', params: { header: 'Retry-After', actual: '1000ms' } } },
    hooks: changeStatus(429, setHeader('retry-after', '1000ms')),
  },
  {
    id: '7/retry-after-too-short',
    breaks: 'the Retry-After of a 429 is too short',
    kills: { '7/recovery': { code: 'not-recovered', params: { waitedS: 7, retryAfterS: 1 } } },
    emulator: { limitedRate: { requestsPerMinute: 10, burst: 5 } },
    hooks: changeStatus(429, setHeader('retry-after', '1')),
  },
  {
    id: '7/no-recovery',
    breaks: 'a key that exceeds its limit is rejected for ever',
    kills: { '7/recovery': { code: 'not-recovered', params: { waitedS: 31 } } },
    hooks: respondWith(limitedChat, tooManyRequests(30)),
  },
  {
    id: '8/cost-headers-given',
    breaks: 'nothing: headers about the cost of a request are not specified',
    kills: { '8/cost-headers': matchObserved({ kind: 'header-names', names: ['x-response-cost'] }) },
    hooks: changeSuccesses(matchOperation('chat'), setHeader('x-response-cost', '0.01')),
  },
  {
    id: '8/rate-limit-headers-given',
    breaks: 'nothing: headers about the rate limit are not specified',
    kills: { '8/rate-limit-headers': matchObserved({ kind: 'header-names', names: ['x-ratelimit-limit-requests'] }) },
    hooks: changeSuccesses(matchOperation('chat'), setHeader('x-ratelimit-limit-requests', '60')),
  },
  {
    id: '8/short-prompts',
    breaks: 'nothing: the upper bound of the length of a message is not specified',
    kills: { '8/large-prompt': matchObservedStatus(400) },
    hooks: rejectRequests(matchOperation('chat', matchBody(/(?:word ){3000}/)), 400),
  },
  {
    id: '8/few-messages',
    breaks: 'nothing: the upper bound of the number of messages is not specified',
    kills: { '8/many-messages': matchObservedStatus(400) },
    hooks: rejectRequests(
      matchFieldsOf('chat', ({ messages }) => Array.isArray(messages) && messages.length > 100),
      400,
    ),
  },
]
