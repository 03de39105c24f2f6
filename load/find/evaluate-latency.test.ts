import { expect, test } from 'vitest'
import { summarizeSamples, type MeasurementError } from '../metrics/figure.ts'
import { createError, createSamplesResult, repeatValue } from '../testing/make-result.ts'
import { type LatencyBudget, MIN_SAMPLES } from '../verdict/budget.ts'
import { evaluateLatency } from './evaluate-latency.ts'

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

const outcomeOf = (...given: Parameters<typeof evaluateLatency>) => evaluateLatency(...given).outcome

test.each(['p50', 'p90', 'p95', 'p99'] as const)(
  'decides on %s from the number of samples that budgets need',
  (statistic) => {
    const needed = MIN_SAMPLES[statistic]
    expect(outcomeOf(budget(statistic), figure(needed, 0))).toBe('holds')
    expect(outcomeOf(budget(statistic), figure(needed - 1, 0))).toBe('uncertain')
    expect(outcomeOf(budget(statistic), figure(0, needed + 1))).toBe('broken')
  },
)

test('is uncertain while the share of slow samples differs from the percentile by chance', () => {
  const p99 = (below: number, above: number) => outcomeOf(budget('p99'), figure(below, above))
  expect([p99(990, 10), p99(773, 1), p99(772, 1)]).toEqual(['uncertain', 'holds', 'uncertain'])
  // With 40 % of slow samples, a dozen samples decide.
  expect([p99(7, 4), p99(7, 5)]).toEqual(['uncertain', 'broken'])
  // With more samples, a smaller difference is sufficient for a decision.
  expect([p99(1980, 40), p99(4900, 100)]).toEqual(['uncertain', 'broken'])
  expect([p99(1992, 8), p99(19_940, 60)]).toEqual(['uncertain', 'holds'])
})

test('suspects a broken budget from two slow samples, but not from one', () => {
  const isWithin = (below: number, above: number) => evaluateLatency(budget('p99'), figure(below, above)).isWithin
  expect([isWithin(2, 1), isWithin(18, 2), isWithin(98, 2)]).toEqual([true, false, true])
})

test('decides nothing within the measurement error', () => {
  expect(outcomeOf(budget('p50'), figure(100, 0, createError(6), 95))).toBe('uncertain')
  expect(outcomeOf(budget('p50'), figure(100, 0, createError(4), 95))).toBe('holds')
  expect(outcomeOf(budget('p50'), figure(0, 100, createError(60)))).toBe('generator')
  expect(outcomeOf(budget('p50'), figure(0, 100, createError(40)))).toBe('broken')
})

test('decides on the mean with its standard error, and on the maximum without', () => {
  const around = (low: number, high: number, n: number) =>
    summarizeSamples(createSamplesResult([...repeatValue(n, low), ...repeatValue(n, high)]), null)
  expect(outcomeOf(budget('mean'), around(60, 120, 50))).toBe('holds')
  expect(outcomeOf(budget('mean'), around(60, 120, 5))).toBe('uncertain')
  expect(outcomeOf(budget('mean'), around(90, 130, 50))).toBe('broken')
  expect(outcomeOf(budget('max'), figure(10, 0))).toBe('holds')
  expect(outcomeOf(budget('max'), figure(10, 1))).toBe('broken')
})
