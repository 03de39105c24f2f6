import { expect, test } from 'vitest'
import { createVirtualClock } from '../clock.ts'
import { formatDuration, buildRateLimitHeaders, createAccountLimiters } from './account-limiters.ts'
import { parseRateLimit, type RateLimit } from './rate-limit.ts'

test('parses the same rate limit from text and from an object', () => {
  const limit: RateLimit = {
    requestsPerMinute: 90,
    tokensPerMinute: 1.5e4,
    windowSeconds: 2.5,
    algorithm: 'fixed-window',
  }
  expect(parseRateLimit(limit)).toEqual(limit)
  expect(
    parseRateLimit('requestsPerMinute=90, tokensPerMinute=15000,windowSeconds=2.5,algorithm=fixed-window'),
  ).toEqual(limit)
})

test.each<[string, RateLimit]>([
  ['requestsPerMinute=60,burst=5', { requestsPerMinute: 60, burst: 5 }],
  ['tokensPerMinute=900,windowSeconds=2.25', { tokensPerMinute: 900, windowSeconds: 2.25 }],
  ['requestsPerMinute=0.000001,burst=1000000000', { requestsPerMinute: 0.000001, burst: 1_000_000_000 }],
  [
    ' requestsPerMinute = 1000000000 , algorithm = fixed-window , windowSeconds = 0.1 ',
    { requestsPerMinute: 1_000_000_000, algorithm: 'fixed-window', windowSeconds: 0.1 },
  ],
])('parses the rate limit %j', (text, limit) => {
  expect(parseRateLimit(text)).toEqual(limit)
})

test.each<[unknown, string]>([
  [[], 'A rate limit has no field ""'],
  ['requestsPerMinute', '"requestsPerMinute" must be a number from 0.000001 to 1000000000.'],
  [{}, '"requestsPerMinute" or "tokensPerMinute"'],
  ['rpm=3', 'A rate limit has no field "rpm". The fields are requestsPerMinute, burst'],
  [{ requestsPerMinute: '60' }, '"requestsPerMinute" must be a number from'],
  ['requestsPerMinute=60,burst=0', '"burst" must be an integer from 1'],
  ['tokensPerMinute=60,burst=2', '"burst" needs "requestsPerMinute"'],
  ['requestsPerMinute=60,burst=2,algorithm=fixed-window', '"burst" applies only to token-bucket'],
  ['requestsPerMinute=60,algorithm=leaky', '"algorithm" must be token-bucket or fixed-window or sliding-window'],
  ['requestsPerMinute=60,windowSeconds=10', '"windowSeconds" applies to'],
  ['requestsPerMinute=60,windowSeconds=0.5,algorithm=fixed-window', 'allows no request'],
  [
    'tokensPerMinute=60,windowSeconds=0.5',
    'A window of 0.5 s at 60 tokens a minute allows no token. Increase windowSeconds or tokensPerMinute.',
  ],
  ['requestsPerMinute=0', '"requestsPerMinute" must be a number from'],
  ['tokensPerMinute=1000000001', '"tokensPerMinute" must be a number from'],
  ['requestsPerMinute=60,burst=1.5', '"burst" must be an integer from 1'],
  ['tokensPerMinute=60,windowSeconds=0.09', '"windowSeconds" must be a number from 0.1 to 86400.'],
  ['tokensPerMinute=60,windowSeconds=86401', '"windowSeconds" must be a number from 0.1 to 86400.'],
])('rejects the rate limit %j with a sentence that describes valid limits', (value, sentence) => {
  expect(parseRateLimit(value)).toContain(sentence)
})

test.each<[RateLimit, number | undefined, number | undefined]>([
  [{ requestsPerMinute: 60, burst: 5, tokensPerMinute: 900 }, 5, 900],
  [{ tokensPerMinute: 900, windowSeconds: 10 }, undefined, 150],
  [{ requestsPerMinute: 100, windowSeconds: 1, algorithm: 'sliding-window' }, 1, undefined],
  [{ requestsPerMinute: 60, tokensPerMinute: 9, algorithm: 'fixed-window' }, 60, 9],
])('resolves the capacities of %j', (rateLimit, requests, tokens) => {
  const limiter = createAccountLimiters(rateLimit, createVirtualClock())
  expect([limiter.requests?.limit, limiter.tokens?.limit]).toEqual([requests, tokens])
})

test('creates the limiter of each algorithm', () => {
  const clock = createVirtualClock()
  const limiterOf = (algorithm: RateLimit['algorithm']) =>
    createAccountLimiters({ requestsPerMinute: 2, burst: 2, ...(algorithm === undefined ? {} : { algorithm }) }, clock)
      .requests
  const meters = ['token-bucket', 'fixed-window', 'sliding-window', undefined].map((name) =>
    limiterOf(name as RateLimit['algorithm']),
  )
  for (const meter of meters) meter?.consume(1)
  clock.advance(45_000)
  for (const meter of meters) meter?.consume(1)
  clock.advance(15_000)
  // After 30 s, the bucket is full again and the fixed window has ended. The sliding window still contains the second
  // consumption.
  expect(meters.map((meter) => meter?.getRemaining())).toEqual([1, 2, 1, 1])
  clock.advance(15_000)
  expect(meters.map((meter) => meter?.getRemaining())).toEqual([2, 2, 1, 2])
})

test('shows limit, remaining amount and reset time of requests and tokens in header fields', () => {
  const clock = createVirtualClock()
  expect(buildRateLimitHeaders({ requests: undefined, tokens: undefined })).toEqual({})
  const limiter = createAccountLimiters({ requestsPerMinute: 60, burst: 5, tokensPerMinute: 600 }, clock)
  limiter.requests?.consume(2)
  limiter.tokens?.consume(15)
  const ofRequests = {
    'x-ratelimit-limit-requests': '5',
    'x-ratelimit-remaining-requests': '3',
    'x-ratelimit-reset-requests': '2s',
  }
  const ofTokens = {
    'x-ratelimit-limit-tokens': '600',
    'x-ratelimit-remaining-tokens': '585',
    'x-ratelimit-reset-tokens': '1.5s',
  }
  expect(buildRateLimitHeaders(limiter)).toEqual({ ...ofRequests, ...ofTokens })
  expect(buildRateLimitHeaders({ ...limiter, tokens: undefined })).toEqual(ofRequests)
})

test.each([
  [0, '0s'],
  [0.2, '1ms'],
  [350.0000000001, '350ms'],
  [1250, '1.25s'],
  [59_999.5, '1m0s'],
  [90_500, '1m30.5s'],
  [7_384_001, '2h3m4.001s'],
])('formats %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
