import { expect, test } from 'vitest'
import { RateLimitRetries, SpendLimiter } from './request-limits.ts'

test('names the limit that additional requests or credits would exceed', () => {
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

test('repeats a request five times after a 429', () => {
  const retries = new RateLimitRetries()
  expect(retries.mayRepeat('chat', 5)).toBe(true)
  expect(retries.mayRepeat('chat', 6)).toBe(false)
})

test('repeats no request of an operation after three consecutive requests that got only 429s', () => {
  const retries = new RateLimitRetries()
  const fail = (): boolean => retries.mayRepeat('chat', 6)
  fail()
  fail()
  retries.reset('chat')
  fail()
  fail()
  expect(retries.mayRepeat('chat', 1)).toBe(true)
  fail()
  expect(retries.mayRepeat('chat', 1)).toBe(false)
  expect(retries.mayRepeat('models', 1)).toBe(true)
  retries.reset('chat')
  expect(retries.mayRepeat('chat', 1)).toBe(true)
})
