import fc from 'fast-check'
import { expect, test } from 'vitest'
import { virtualClock } from './clock.ts'
import { TokenBucket } from './token-bucket.ts'

test('a burst is admitted at once, and then one request per interval', () => {
  const clock = virtualClock()
  const bucket = new TokenBucket(clock, { requestsPerMinute: 60, burst: 3 })
  expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([0, 0, 0])
  expect(bucket.take()).toBe(1000)
  clock.advance(400)
  expect(bucket.take()).toBeCloseTo(600)
  clock.advance(600)
  expect(bucket.take()).toBe(0)
  expect(bucket.take()).toBeCloseTo(1000)
})

test('an hour of rest fills no more than the burst', () => {
  const clock = virtualClock()
  const bucket = new TokenBucket(clock, { requestsPerMinute: 600, burst: 2 })
  clock.advance(3_600_000)
  expect([bucket.take(), bucket.take()]).toEqual([0, 0])
  expect(bucket.take()).toBeGreaterThan(0)
})

test('whoever waits as long as told is admitted, and whoever comes a millisecond earlier is not', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 20 }), (requestsPerMinute, burst) => {
      const clock = virtualClock()
      const bucket = new TokenBucket(clock, { requestsPerMinute, burst })
      for (let taken = 0; taken < burst; taken += 1) bucket.take()
      for (let round = 0; round < 20; round += 1) {
        const waitMs = bucket.take()
        if (waitMs > 1) {
          clock.advance(waitMs - 1)
          expect(bucket.take()).toBeCloseTo(1, 3)
          clock.advance(1)
        } else {
          clock.advance(waitMs)
        }
        expect(bucket.take()).toBe(0)
      }
    }),
  )
})
