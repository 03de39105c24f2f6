import { expect, test } from 'vitest'
import { retryAfterMs } from '../http/retry-after.ts'
import { Pacer, RateLimitRetries, SpendLimiter, TimeoutBreaker, waitAfterRateLimitMs } from './request-limits.ts'

test('names the limit that further requests or credits would exceed', () => {
  const limiter = new SpendLimiter({ maxRequests: 2, maxCredits: 0.001 })
  const requestLimit = { code: 'request-limit-reached', params: { maxRequests: 2 } }
  const creditLimit = { code: 'credit-limit-reached', params: { maxCredits: 0.001 } }
  expect(limiter.obstacle(2, 10)).toBeUndefined()
  expect(limiter.obstacle(3, 0)).toEqual(requestLimit)
  expect(limiter.obstacle(1, 11)).toEqual(creditLimit)
  limiter.count(10)
  expect(limiter.obstacle(1, 0)).toBeUndefined()
  expect(limiter.obstacle(1, 1)).toEqual(creditLimit)
  limiter.count(0)
  expect(limiter.obstacle(1, 0)).toEqual(requestLimit)
  expect([limiter.requests, limiter.units]).toEqual([2, 10])
})

test('stops an operation after two time-outs in a row, and no other', () => {
  const breaker = new TimeoutBreaker(20_000)
  breaker.record('chat', true)
  breaker.record('chat', false)
  breaker.record('chat', true)
  expect(breaker.obstacle('chat')).toBeUndefined()
  breaker.record('chat', true)
  const stopped = { code: 'operation-timed-out', params: { operation: 'chat', timeoutMs: 20_000 } }
  expect(breaker.obstacle('chat')).toEqual(stopped)
  breaker.record('chat', false)
  expect(breaker.obstacle('chat')).toEqual(stopped)
  expect(breaker.obstacle('images')).toBeUndefined()
})

test('spaces requests evenly, and does not catch up after a pause', () => {
  const pacer = new Pacer(60)
  expect([0, 0, 500, 2000, 9000, 9000].map((nowMs) => pacer.delayMs(nowMs))).toEqual([0, 1000, 1500, 1000, 0, 1000])
  const unlimited = new Pacer(undefined)
  expect([0, 0, 0].map((nowMs) => unlimited.delayMs(nowMs))).toEqual([0, 0, 0])
})

test.each([
  ['2', 2000],
  ['0.5', 500],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
  ['-3', undefined],
  ['soon', undefined],
  ['1e3', undefined],
  ['', undefined],
])('reads Retry-After %j as %s ms', (value, expected) => {
  expect(retryAfterMs({ 'retry-after': value }, 10_000)).toBe(expected)
})

test.each([
  ['3', [3000, 3000, 3000, 3000]],
  ['0', [50, 100, 200, 400]],
  ['', [1000, 2000, 4000, 8000]],
])('after 429 with Retry-After %j waits %j ms', (value, waits) => {
  const headers = { 'retry-after': value }
  expect(waits.map((_, attempt) => waitAfterRateLimitMs(headers, attempt, 0))).toEqual(waits)
})

test('waits for rate limits at most 30 s for each check', () => {
  const retries = new RateLimitRetries()
  expect(retries.delayMs('chat', 30_000, 0)).toBe(30_000)
  expect(retries.delayMs('chat', 1, 30_000)).toBeUndefined()
})

test('stops waiting on an operation after three checks in a row waited without success', () => {
  const retries = new RateLimitRetries()
  const fail = (): number | undefined => retries.delayMs('chat', 60_000, 0)
  fail()
  fail()
  retries.reset('chat')
  fail()
  fail()
  expect(retries.delayMs('chat', 10, 0)).toBe(10)
  fail()
  expect(retries.delayMs('chat', 10, 0)).toBeUndefined()
  expect(retries.delayMs('models', 10, 0)).toBe(10)
  retries.reset('chat')
  expect(retries.delayMs('chat', 10, 0)).toBe(10)
})
