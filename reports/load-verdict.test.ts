import { describe, expect, test } from 'vitest'
import { findBudgetError, formatActual, formatBudget, formatNumber } from './load-verdict.ts'

test.each([
  [1234.5, '1,235'],
  [1.234, '1.23'],
  [-0.1234, '-0.123'],
  [-0.0001, '0'],
])('formats the number %d as %s', (value, text) => {
  expect(formatNumber(value)).toBe(text)
})

test.each([
  [{ metric: 'chat.ttft', statistic: 'p99', unit: 'ms' }, 'chat.ttft.p99 >= 5 ms', '7.5 ms'],
  [{ metric: 'failed', statistic: 'rate', unit: '%' }, 'failed.rate >= 5 %', '7.5 %'],
  [{ metric: 'goodput', statistic: 'goodput', unit: '/s' }, 'goodput >= 5/s', '7.5/s'],
] as const)('formats a budget and its measured value: %s', (named, limit, actual) => {
  const budget = { op: '>=', limit: 5, actual: 7.5, n: 70, needed: 64, verdict: 'within', ...named } as const
  expect([formatBudget(budget), formatActual(budget)]).toEqual([limit, actual])
})

describe('the error of a budget', () => {
  const figure = (p90Ms: number | null) => ({
    n: 70,
    min: 1,
    max: 9,
    mean: 5,
    p50: 5,
    p90: 7.53,
    p95: 8,
    p99: 9,
    histogram: '',
    error: p90Ms === null ? null : { n: 70, biasMs: 0, p50Ms: 1, p90Ms, p95Ms: 5, p99Ms: 5, maxMs: 5 },
  })
  const budget = (metric: string, statistic = 'p90') =>
    ({ metric, statistic, op: '<=', limit: 1, unit: 'ms', actual: 7.53, n: 70, needed: 64, verdict: 'broken' }) as const

  test('is the bound of the percentile, for the operation that has the metric', () => {
    const metrics = { 'chat-stream': { ttftMs: figure(4.17), e2eMs: figure(2) }, chat: { e2eMs: figure(3) } }
    expect(findBudgetError({ metrics }, budget('ttft'))).toBe(4.17)
    expect(findBudgetError({ metrics }, budget('chat.e2e'))).toBe(3)
  })

  test.each([
    ['of several operations', 'e2e', 'p90'],
    ['of an added latency', 'added.ttft', 'p90'],
    ['of a metric without a measured error', 'itl', 'p90'],
  ])('is unknown for the value %s', (_, metric, statistic) => {
    const metrics = {
      'chat-stream': { ttftMs: figure(4.17), e2eMs: figure(2), itlMs: figure(null) },
      chat: { e2eMs: figure(3) },
    }
    expect(findBudgetError({ metrics }, budget(metric, statistic))).toBeNull()
  })
})
