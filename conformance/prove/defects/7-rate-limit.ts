import { alterServed, alterStatus, header, refusal, refuse, reply, status } from '../change/answers.ts'
import { all, to, withBody, withFields, withHeader } from '../change/match.ts'
import { rewriteKey } from '../change/requests.ts'
import type { Defect } from '../defect.ts'
import type { Wire, WireAnswer } from '../wire.ts'
import { KEYS } from './operations.ts'

const limitedChat = all(to('chat'), withHeader('authorization', new RegExp(`${KEYS.limited}$`)))

function comeAgainIn(seconds: number): WireAnswer {
  const limited = refusal(429)
  return { ...limited, headers: { ...limited.headers, 'retry-after': String(seconds) } }
}

const burst: readonly Defect[] = [
  {
    id: '7/no-limit',
    breaks: 'a key with a rate limit has none',
    kills: { '7/rate-limit-exceeded': /^none of 20 was/ },
    wire: rewriteKey(limitedChat, KEYS.funded),
  },
  {
    id: '7/unavailable-for-429',
    breaks: 'requests beyond the limit are answered with 503',
    kills: { '7/rate-limit-exceeded': /^one of the burst: answered 503$/ },
    wire: alterStatus(429, status(503)),
  },
  {
    id: '7/forbidden-for-429',
    breaks: 'requests beyond the limit are answered with 403',
    kills: { '7/rate-limit-exceeded': /^one of the burst: answered 403$/ },
    wire: alterStatus(429, status(403)),
  },
  {
    id: '7/no-credits-for-429',
    breaks: 'requests beyond the limit are answered with 402, as if the account had no credits',
    kills: {
      '7/rate-limit-exceeded': /^\d+ of 20 were answered 402, and the key, served again after 1 s, has credits$/,
    },
    wire: alterStatus(429, status(402)),
  },
]

/** For less than the second that a 429 asks to wait, so that the same requests are served without a burst. */
const LEAK_MS = 800

/** After a 429 to one key, all keys get one. */
function leakLimit(): Wire {
  let limitedUntilMs = 0
  const limited = comeAgainIn(1)
  return {
    request: (request) => (to('chat')(request) && Date.now() < limitedUntilMs ? limited : request),
    answer(answer, request) {
      if (answer.status === 429 && limitedChat(request)) limitedUntilMs = Date.now() + LEAK_MS
      return answer
    },
  }
}

const shared: Defect = {
  id: '7/limit-for-all-keys',
  breaks: 'where one key exceeds its limit, the others are refused as well',
  kills: { '7/other-key-unaffected': /^the other key was answered 429 during the burst/ },
  mayTouch: ['7/rate-limit-exceeded'],
  wire: leakLimit(),
}

const habits: readonly Defect[] = [
  {
    id: '7/no-retry-after',
    breaks: 'a 429 does not say when to come again',
    kills: { '7/retry-after': /^Retry-After is nothing$/ },
    wire: alterStatus(429, header('retry-after', undefined)),
  },
  {
    id: '7/retry-at-once',
    breaks: 'a 429 says to come again in no time',
    kills: { '7/retry-after': /^Retry-After is "0"$/ },
    wire: alterStatus(429, header('retry-after', '0')),
  },
  {
    id: '7/retry-after-in-ms',
    breaks: 'a 429 counts in milliseconds',
    kills: { '7/retry-after': /^Retry-After is "1000ms"$/ },
    wire: alterStatus(429, header('retry-after', '1000ms')),
  },
  {
    id: '7/retry-after-too-short',
    breaks: 'a 429 names a shorter time than the limit needs',
    kills: { '7/recovery': /^Retry-After said 1 s; served again after 7 s only$/ },
    emulator: { limitedRate: { requestsPerMinute: 10, burst: 5 } },
    wire: alterStatus(429, header('retry-after', '1')),
  },
  {
    id: '7/no-recovery',
    breaks: 'a key that exceeded its limit once is never served again',
    kills: { '7/recovery': /^still 429 after 30 s$/ },
    wire: reply(limitedChat, comeAgainIn(30)),
  },
]

const openPoints: readonly Defect[] = [
  {
    id: '8/rate-limit-headers-given',
    breaks: 'nothing: headers about the rate limit are not shown',
    kills: { '8/rate-limit-headers': /: x-ratelimit-limit-requests$/ },
    wire: alterServed(to('chat'), header('x-ratelimit-limit-requests', '60')),
  },
  {
    id: '8/short-prompts',
    breaks: 'nothing: the upper bound of the length of a message is not shown',
    kills: { '8/large-prompt': /: answered 400$/ },
    wire: refuse(all(to('chat'), withBody(/(?:word ){10000}/)), 400),
  },
  {
    id: '8/broken-by-large-prompts',
    breaks: 'a large message exhausts the server',
    kills: { '8/large-prompt': /^answered 500$/ },
    wire: refuse(all(to('chat'), withBody(/(?:word ){10000}/)), 500),
  },
  {
    id: '8/few-messages',
    breaks: 'nothing: the upper bound of the number of messages is not shown',
    kills: { '8/many-messages': /: answered 400$/ },
    wire: refuse(
      all(
        to('chat'),
        withFields(({ messages }) => Array.isArray(messages) && messages.length > 100),
      ),
      400,
    ),
  },
]

export const rateLimitDefects: readonly Defect[] = [...burst, shared, ...habits, ...openPoints]
