import { expect, test } from 'vitest'
import { RateEstimator } from './rate-estimator.ts'

/** Returns a function that is true for one in 20 requests on average, at irregular intervals. */
function createRandomRejection(): () => boolean {
  let random = 1
  return () => {
    random = (random * 48_271) % 2_147_483_647
    return random % 20 === 0
  }
}

/**
 * Sends requests one by one at the estimated rate, with a response time of 50 ms, to a target that rejects some of them
 * with `Retry-After: 1`.
 * @returns the duration in seconds until the target has accepted 500 requests
 */
function measureSeconds(estimator: RateEstimator, isRejected: (nowMs: number) => boolean): number {
  let nowMs = 0
  for (let accepted = 0; accepted < 500;) {
    nowMs += estimator.delayMs(nowMs)
    const sentAtMs = nowMs
    estimator.sent(sentAtMs)
    nowMs += 50
    estimator.ended(sentAtMs, nowMs)
    if (isRejected(sentAtMs)) {
      estimator.limited({ sentAtMs, nowMs, waitMs: 1000 }, true)
    } else {
      estimator.accepted(sentAtMs)
      accepted += 1
    }
  }
  return Math.round(nowMs / 1000)
}

test('keeps the rate that a target sustains if the target rejects requests regardless of the rate', () => {
  expect(measureSeconds(new RateEstimator(undefined), createRandomRejection())).toBeLessThanOrEqual(600)
})

test('keeps the rate of a target that accepts 240 requests per minute', () => {
  const acceptedAtMs: number[] = []
  let rejected = 0
  const seconds = measureSeconds(new RateEstimator(undefined), (nowMs) => {
    if (acceptedAtMs.filter((atMs) => atMs > nowMs - 1000).length >= 4) {
      rejected += 1
      return true
    }
    acceptedAtMs.push(nowMs)
    return false
  })
  expect(seconds).toBeLessThanOrEqual(200)
  expect(rejected).toBeLessThanOrEqual(10)
})

test('does not count the time without requests', () => {
  const estimator = new RateEstimator(undefined)
  const send = (sentAtMs: number): void => {
    estimator.sent(sentAtMs)
    estimator.ended(sentAtMs, sentAtMs + 50)
  }
  for (const sentAtMs of [300_000, 300_100, 600_000, 600_100, 600_200]) {
    send(sentAtMs)
    estimator.accepted(sentAtMs)
  }
  send(600_300)
  estimator.limited({ sentAtMs: 600_300, nowMs: 600_350, waitMs: 1000 }, true)
  const perMinute = (estimator.perMs ?? Infinity) * 60_000
  expect(perMinute).toBeGreaterThan(100)
  expect(perMinute).toBeLessThan(600)
})

test('never exceeds the maximum rate that the tester sets', () => {
  expect(measureSeconds(new RateEstimator(120), createRandomRejection())).toBeGreaterThanOrEqual(250)
})

test('lowers the rate after several 429s in flight, if the rate caused only the last one', () => {
  const estimator = new RateEstimator(undefined)
  const limited = { sentAtMs: 1000, nowMs: 1050, waitMs: 4000 }
  for (let sentAtMs = 0; sentAtMs <= 1000; sentAtMs += 20) estimator.sent(sentAtMs)
  for (let sentAtMs = 0; sentAtMs < 1000; sentAtMs += 20) estimator.accepted(sentAtMs)
  estimator.limited(limited, false)
  expect(estimator.perMs).toBeUndefined()
  estimator.limited(limited, true)
  expect((estimator.perMs ?? Infinity) * 60_000).toBeCloseTo((50 / 5050) * 60_000)
})
