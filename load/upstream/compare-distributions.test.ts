import { expect, test } from 'vitest'
import { buildMeasurements, type Measurements } from '../metrics/measurements.ts'
import { createExtensionResult, createOperationResult } from '../testing/make-result.ts'
import { compareDistributions } from './compare-distributions.ts'

/** Builds the measurements of `count` streams whose TTFTs are spread evenly between `fromMs` and `fromMs` + 100 ms. */
function measure(count: number, fromMs: number): Measurements {
  const ttftMs = Array.from({ length: count }, (_, index) => fromMs + (100 * index) / count)
  return buildMeasurements(
    createExtensionResult({ 'chat-stream': createOperationResult(count, { ttftMs, e2eMs: ttftMs }) }),
    () => null,
  )
}

test('subtracts percentiles, with an interval that contains the true difference', () => {
  const { method, compared, responses, added } = compareDistributions(
    'http://u',
    measure(2000, 220),
    measure(1800, 200),
  )
  expect([method, compared, responses, Object.keys(added)]).toEqual(['turns', 1800, 2000, ['ttftMs', 'e2eMs']])
  for (const statistic of ['mean', 'p50', 'p90', 'p95', 'p99'] as const) {
    const { ms = 0, lowMs, highMs } = added.ttftMs?.[statistic] ?? {}
    expect(ms).toBeCloseTo(20, 0)
    expect(lowMs).toBeLessThan(20)
    expect(highMs).toBeGreaterThan(20)
  }
  expect(added.ttftMs).toMatchObject({ n: 1800, max: { lowMs: null, highMs: null } })
  // With 2,000 samples, the standard deviation of the median is 1.1 % of the range. The interval extends 2.6 standard
  // deviations on each side, for each of the two services.
  expect((added.ttftMs?.p50.highMs ?? 0) - (added.ttftMs?.p50.lowMs ?? 0)).toBeCloseTo(11.9, 0)
})

test('gives no bound to a percentile with too few samples for it', () => {
  const { added } = compareDistributions('http://u', measure(100, 20), measure(100, 10))
  expect(added.ttftMs?.p50.highMs).not.toBeNull()
  expect(added.ttftMs?.p99.highMs).toBeNull()
})
