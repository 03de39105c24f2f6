import { changeSuccesses, changeStatus, header, errorResponse, reject, reply, status } from '../change/responses.ts'
import { all, to, withBody, withFields, withHeader } from '../change/match.ts'
import { rewriteKey } from '../change/requests.ts'
import type { Mutant } from '../mutant.ts'
import type { Wire, WireResponse } from '../wire.ts'
import { EMULATOR_KEYS } from './operations.ts'
import { brokenDown, observedStatus, unexpectedStatus } from '../result-match.ts'

const limitedChat = all(to('chat'), withHeader('authorization', new RegExp(`${EMULATOR_KEYS.limited}$`)))

function comeAgainIn(seconds: number): WireResponse {
  const limited = errorResponse(429)
  return { ...limited, headers: { ...limited.headers, 'retry-after': String(seconds) } }
}

const burst: readonly Mutant[] = [
  {
    id: '7/no-limit',
    breaks: 'a key with a rate limit has none',
    kills: { '7/rate-limit-exceeded': { code: 'limit-not-enforced', params: { requests: 20, rejected: 0 } } },
    wire: rewriteKey(limitedChat, EMULATOR_KEYS.funded),
  },
  {
    id: '7/unavailable-for-429',
    breaks: 'requests beyond the limit are answered with 503',
    kills: { '7/breakdown-chat': brokenDown('chat', 503) },
    mayAffect: ['7/rate-limit-exceeded'],
    wire: changeStatus(429, status(503)),
  },
  {
    id: '7/forbidden-for-429',
    breaks: 'requests beyond the limit are answered with 403',
    kills: { '7/rate-limit-exceeded': unexpectedStatus(403, { parallel: 7 }) },
    wire: changeStatus(429, status(403)),
  },
  {
    id: '7/no-credits-for-429',
    breaks: 'requests beyond the limit are answered with 402, as if the account had no credits',
    kills: {
      '7/rate-limit-exceeded': {
        code: 'limit-not-enforced',
        params: { requests: 7, actualStatus: 402, servedAfterS: 1 },
      },
    },
    wire: changeStatus(429, status(402)),
  },
]

/** Shorter than the second in Retry-After, so that the same requests are served without a burst. */
const LEAK_MS = 800

/** After a 429 to one key, all keys get one. */
function leakLimit(): Wire {
  let limitedUntilMs = 0
  const limited = comeAgainIn(1)
  return {
    request: (request) => (to('chat')(request) && Date.now() < limitedUntilMs ? limited : request),
    response(response, request) {
      if (response.status === 429 && limitedChat(request)) limitedUntilMs = Date.now() + LEAK_MS
      return response
    },
  }
}

const shared: Mutant = {
  id: '7/limit-for-all-keys',
  breaks: 'where one key exceeds its limit, the others are rejected as well',
  kills: { '7/other-key-unaffected': { code: 'limit-shared-between-keys' } },
  mayAffect: ['7/rate-limit-exceeded'],
  wire: leakLimit(),
}

const habits: readonly Mutant[] = [
  {
    id: '7/no-retry-after',
    breaks: 'a 429 does not say when to come again',
    kills: { '7/retry-after': { code: 'missing-header', params: { header: 'Retry-After' } } },
    wire: changeStatus(429, header('retry-after', undefined)),
  },
  {
    id: '7/retry-at-once',
    breaks: 'a 429 says to come again in no time',
    kills: { '7/retry-after': { code: 'wrong-header', params: { header: 'Retry-After', actual: '0' } } },
    wire: changeStatus(429, header('retry-after', '0')),
  },
  {
    id: '7/retry-after-in-ms',
    breaks: 'a 429 counts in milliseconds',
    kills: { '7/retry-after': { code: 'wrong-header', params: { header: 'Retry-After', actual: '1000ms' } } },
    wire: changeStatus(429, header('retry-after', '1000ms')),
  },
  {
    id: '7/retry-after-too-short',
    breaks: 'a 429 names a shorter time than the limit needs',
    kills: { '7/recovery': { code: 'not-recovered', params: { waitedS: 7, retryAfterS: 1 } } },
    emulator: { limitedRate: { requestsPerMinute: 10, burst: 5 } },
    wire: changeStatus(429, header('retry-after', '1')),
  },
  {
    id: '7/no-recovery',
    breaks: 'a key that exceeded its limit once is never served again',
    kills: { '7/recovery': { code: 'not-recovered', params: { waitedS: 31 } } },
    wire: reply(limitedChat, comeAgainIn(30)),
  },
]

const openPoints: readonly Mutant[] = [
  {
    id: '8/rate-limit-headers-given',
    breaks: 'nothing: headers about the rate limit are not specified',
    kills: {
      '8/rate-limit-headers': {
        code: 'observed-response',
        params: { seen: { kind: 'header-names', names: ['x-ratelimit-limit-requests'] } },
      },
    },
    wire: changeSuccesses(to('chat'), header('x-ratelimit-limit-requests', '60')),
  },
  {
    id: '8/short-prompts',
    breaks: 'nothing: the upper bound of the length of a message is not specified',
    kills: { '8/large-prompt': observedStatus(400) },
    wire: reject(all(to('chat'), withBody(/(?:word ){3000}/)), 400),
  },
  {
    id: '8/broken-by-large-prompts',
    breaks: 'a large message exhausts the server',
    kills: { '7/breakdown-chat': brokenDown('chat', 500) },
    mayAffect: ['8/large-prompt'],
    wire: reject(all(to('chat'), withBody(/(?:word ){3000}/)), 500),
  },
  {
    id: '8/few-messages',
    breaks: 'nothing: the upper bound of the number of messages is not specified',
    kills: { '8/many-messages': observedStatus(400) },
    wire: reject(
      all(
        to('chat'),
        withFields(({ messages }) => Array.isArray(messages) && messages.length > 100),
      ),
      400,
    ),
  },
]

export const rateLimitMutants: readonly Mutant[] = [...burst, shared, ...habits, ...openPoints]
