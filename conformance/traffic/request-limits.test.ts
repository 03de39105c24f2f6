import { expect, test } from 'vitest'
import { SpendLimiter } from './request-limits.ts'

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
