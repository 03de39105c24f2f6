import { expect, test } from 'vitest'
import { summarizeSamples, type MeasurementError } from '../metrics/figure.ts'
import { createError, createSamplesResult, repeatValue } from '../testing/make-result.ts'
import { type LatencyBudget, MIN_SAMPLES } from '../verdict/budget.ts'
import { calculateBoundRanks, evaluateLatency } from './evaluate-latency.ts'

const budget = (statistic: LatencyBudget['statistic'], limitMs = 100): LatencyBudget => ({
  kind: 'latency',
  operation: null,
  metric: 'ttft',
  statistic,
  limitMs,
})

/** Builds a figure from samples of `belowMs` and of 150 ms, with the given number of each. */
function figure(below: number, above: number, error: MeasurementError | null = null, belowMs = 50) {
  return summarizeSamples(createSamplesResult([...repeatValue(below, belowMs), ...repeatValue(above, 150)]), error)
}

test.each(['p50', 'p90', 'p95', 'p99'] as const)(
  'decides on %s from the number of samples that budgets need, with at most one sample above the limit',
  (statistic) => {
    const needed = MIN_SAMPLES[statistic]
    expect(evaluateLatency(budget(statistic), figure(needed - 1, 1))).toBe('holds')
    expect(evaluateLatency(budget(statistic), figure(needed - 2, 2))).toBe('uncertain')
    expect(evaluateLatency(budget(statistic), figure(needed - 2, 1))).toBe('uncertain')
    expect(evaluateLatency(budget(statistic), figure(0, needed))).toBe('broken')
  },
)

test('is uncertain while the share of slow samples differs from the percentile by chance', () => {
  const p99 = (below: number, above: number) => evaluateLatency(budget('p99'), figure(below, above))
  expect(p99(990, 10)).toBe('uncertain')
  expect(p99(980, 20)).toBe('broken')
  expect(p99(998, 2)).toBe('holds')
  // With more samples, a smaller difference is sufficient for a decision.
  expect([p99(993, 7), p99(3972, 28), p99(19_860, 140)]).toEqual(['uncertain', 'uncertain', 'holds'])
  expect([p99(19_800, 200), p99(19_720, 280)]).toEqual(['uncertain', 'broken'])
})

test('returns ranks of the exact and of the normal distribution that differ by at most 4', () => {
  // The variance is just below and just above the value from which the normal distribution is used.
  const [exact, normal] = [calculateBoundRanks(10_100, 0.99), calculateBoundRanks(10_102, 0.99)]
  expect(Math.abs(exact.low - normal.low)).toBeLessThanOrEqual(4)
  expect(Math.abs(exact.high - normal.high)).toBeLessThanOrEqual(4)
})

test('decides nothing within the measurement error', () => {
  expect(evaluateLatency(budget('p50'), figure(100, 0, createError(6), 95))).toBe('uncertain')
  expect(evaluateLatency(budget('p50'), figure(100, 0, createError(4), 95))).toBe('holds')
  expect(evaluateLatency(budget('p50'), figure(0, 100, createError(60)))).toBe('generator')
  expect(evaluateLatency(budget('p50'), figure(0, 100, createError(40)))).toBe('broken')
})

test('decides on the mean with its standard error, and on the maximum without', () => {
  const around = (low: number, high: number, n: number) =>
    summarizeSamples(createSamplesResult([...repeatValue(n, low), ...repeatValue(n, high)]), null)
  expect(evaluateLatency(budget('mean'), around(60, 120, 50))).toBe('holds')
  expect(evaluateLatency(budget('mean'), around(60, 120, 5))).toBe('uncertain')
  expect(evaluateLatency(budget('mean'), around(90, 130, 50))).toBe('broken')
  expect(evaluateLatency(budget('max'), figure(10, 0))).toBe('holds')
  expect(evaluateLatency(budget('max'), figure(10, 1))).toBe('broken')
})
