import { expect, test } from 'vitest'
import { createSeededRandom } from './seeded-random.ts'
import { createFixedDelay, LATENCY_PROFILES, selectLatency, createTokenSchedule } from './latency.ts'

test('schedules tokens at fixed steps from the start of the request', () => {
  const pace = createTokenSchedule(
    { ttft: createFixedDelay(100), itl: createFixedDelay(10) },
    1,
    createSeededRandom(1, 'x', 0),
  )
  expect([0, 0, 1, 99].map((token) => pace.getDueMs(token))).toEqual([100, 100, 110, 1090])
})

test('multiplies every delay by a factor', () => {
  const pace = createTokenSchedule(
    { ttft: createFixedDelay(100), itl: createFixedDelay(10) },
    1.5,
    createSeededRandom(1, 'x', 0),
  )
  expect([pace.getDueMs(0), pace.getDueMs(2)]).toEqual([150, 180])
})

test('samples delays with the given median and 99th percentile', () => {
  const spread = { ttft: { p50Ms: 300, p99Ms: 1500 }, itl: { p50Ms: 20, p99Ms: 90 } }
  const first: number[] = []
  const itls: number[] = []
  for (let ordinal = 0; ordinal < 20_000; ordinal += 1) {
    const pace = createTokenSchedule(spread, 1, createSeededRandom(1, 'x', ordinal))
    const firstMs = pace.getDueMs(0)
    first.push(firstMs)
    itls.push(pace.getDueMs(1) - firstMs)
  }
  // The seed is fixed, so the percentiles do not vary between runs. The tolerances are three standard errors.
  expect(Math.abs(percentile(first, 0.5) / 300 - 1)).toBeLessThan(0.02)
  expect(Math.abs(percentile(first, 0.99) / 1500 - 1)).toBeLessThan(0.06)
  expect(Math.abs(percentile(itls, 0.5) / 20 - 1)).toBeLessThan(0.02)
  expect(Math.abs(percentile(itls, 0.99) / 90 - 1)).toBeLessThan(0.06)
})

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}

test('selects the latency of a model and of other operations', () => {
  const slow = { ttft: createFixedDelay(9), itl: createFixedDelay(9) }
  const latency = { ...LATENCY_PROFILES.instant, byModel: { 'o3-mini': slow } }
  expect(selectLatency(latency, 'chat', 'o3-mini')).toBe(slow)
  expect(selectLatency(latency, 'chat', 'vendorc-4o').ttft).toEqual(createFixedDelay(0))
  expect(selectLatency(LATENCY_PROFILES.slow, 'images', 'o3-mini').ttft).toBe(LATENCY_PROFILES.slow.total.images)
})
