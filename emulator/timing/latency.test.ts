import { expect, test } from 'vitest'
import { createDraw } from '../state/draw.ts'
import { fixed, LATENCY_PROFILES, latencyOf, parseLatency } from './latency.ts'
import { planPace } from './pace.ts'

test.each(Object.keys(LATENCY_PROFILES))('%s is a profile by name', (name) => {
  expect(parseLatency(name)).toBe(LATENCY_PROFILES[name as keyof typeof LATENCY_PROFILES])
})

test('parts set single delays, with median and 99th percentile where two are given', () => {
  const latency = parseLatency('ttft=100ms..0.4s,gap=20ms,total=2s,slowdown=0.01')
  expect(latency).toMatchObject({
    chat: { ttft: { p50Ms: 100, p99Ms: 400 }, gap: fixed(20) },
    total: { images: fixed(2000), speech: fixed(2000) },
    slowdownPerRequest: 0.01,
  })
})

test.each([
  ['quick', "no latency profile 'quick'"],
  ['ttft=100', 'ttft=20ms'],
  ['ttft=-1ms', 'ttft=20ms'],
  ['gap=90ms..20ms', 'gap=20ms'],
  ['gap=20ms..', 'gap=20ms'],
  ['ttft=2h', 'ttft=20ms'],
  ['ttft=99999s', 'ttft=20ms'],
  ['speed=1ms', "no latency part 'speed'"],
  ['slowdown=many', 'slowdown=0.01'],
  ['', 'no latency profile'],
])("'%s' is refused in one sentence that shows the form", (text, sentence) => {
  expect(parseLatency(text)).toContain(sentence)
})

test('tokens are due at fixed steps from the start of the request', () => {
  const pace = planPace({ ttft: fixed(100), gap: fixed(10) }, 1, createDraw(1, 'x', 0))
  expect([0, 0, 1, 99].map((token) => pace.dueMs(token))).toEqual([100, 100, 110, 1090])
})

test('a slow-down stretches every delay', () => {
  const pace = planPace({ ttft: fixed(100), gap: fixed(10) }, 1.5, createDraw(1, 'x', 0))
  expect([pace.dueMs(0), pace.dueMs(2)]).toEqual([150, 180])
})

test('first tokens and gaps have the median and the 99th percentile that were set', () => {
  const spread = { ttft: { p50Ms: 300, p99Ms: 1500 }, gap: { p50Ms: 20, p99Ms: 90 } }
  const first: number[] = []
  const gaps: number[] = []
  for (let ordinal = 0; ordinal < 20_000; ordinal += 1) {
    const pace = planPace(spread, 1, createDraw(1, 'x', ordinal))
    const firstMs = pace.dueMs(0)
    first.push(firstMs)
    gaps.push(pace.dueMs(1) - firstMs)
  }
  // The seed is fixed, so these figures do not vary; the bounds are three standard errors of the percentiles.
  expect(Math.abs(percentile(first, 0.5) / 300 - 1)).toBeLessThan(0.02)
  expect(Math.abs(percentile(first, 0.99) / 1500 - 1)).toBeLessThan(0.06)
  expect(Math.abs(percentile(gaps, 0.5) / 20 - 1)).toBeLessThan(0.02)
  expect(Math.abs(percentile(gaps, 0.99) / 90 - 1)).toBeLessThan(0.06)
})

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}

test('a model of its own pace has it, and other operations have theirs', () => {
  const slow = { ttft: fixed(9), gap: fixed(9) }
  const latency = { ...LATENCY_PROFILES.instant, byModel: { 'o3-mini': slow } }
  expect(latencyOf(latency, 'chat', 'o3-mini')).toBe(slow)
  expect(latencyOf(latency, 'chat', 'vendorc-4o').ttft).toEqual(fixed(0))
  expect(latencyOf(LATENCY_PROFILES.slow, 'images', 'o3-mini').ttft).toBe(LATENCY_PROFILES.slow.total.images)
})
