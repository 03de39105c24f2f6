import { describe, expect, test } from 'vitest'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { type Budget, DEFAULT_BUDGET, MIN_SAMPLES } from './budget.ts'
import { parseBudget } from './parse-budget.ts'
import { buildRequestLimits } from './k6-thresholds.ts'

test.each<[string, Budget]>([
  ['ttft.p99<=800ms', { kind: 'latency', operation: null, metric: 'ttft', statistic: 'p99', limitMs: 800 }],
  [
    ' chat-stream.itl.max <= 1.5 s ',
    { kind: 'latency', operation: 'chat-stream', metric: 'itl', statistic: 'max', limitMs: 1500 },
  ],
  ['start_lag.mean<=5ms', { kind: 'latency', operation: null, metric: 'start_lag', statistic: 'mean', limitMs: 5 }],
  ['failed.rate<=1%', { kind: 'count', operation: null, metric: 'failed.rate', limit: 1 }],
  ['dropped.count<=0', { kind: 'count', operation: null, metric: 'dropped.count', limit: 0 }],
  ['rate>=50/s', { kind: 'count', operation: null, metric: 'rate', limit: 50 }],
  ['added.ttft.p99<=20ms', { kind: 'added', operation: null, metric: 'added.ttft', statistic: 'p99', limitMs: 20 }],
  ['speech.goodput>=2/s', { kind: 'count', operation: 'speech', metric: 'goodput', limit: 2 }],
])('parses the budget %j', (text, budget) => {
  expect(parseBudget(text)).toEqual(budget)
})

test.each([
  ['', 'has an invalid form'],
  ['ttft.p99=800ms', 'has the operator =. Use <= for an upper limit, or >= for rate, goodput and tokens.rate'],
  ['failed<=1%', 'has an unknown metric. Did you mean failed.rate? Use one of ttft'],
  ['ttft.P90<=1s', 'has no known statistic. Did you mean p90? Use one of p50'],
  ['ttft.p99<=800ms please', 'has an invalid form'],
  ['ttft.p98<=800ms', 'has no known statistic. Use one of p50, p90, p95, p99, max, mean, as in ttft.p90<=800ms'],
  [
    'added.tpot.p90<=5ms',
    'has an unknown metric. Use one of added.ttft, added.itl, added.e2e, as in added.ttft.p99<=20ms',
  ],
  [
    'added.itl.p42<=5ms',
    'has no known statistic. Use one of p50, p90, p95, p99, max, mean, as in added.itl.p90<=800ms',
  ],
  ['added.e2e.p90<=5%', 'needs a unit, ms or s'],
  ['chat.added.e2e.p90<=5ms', 'names an operation, but added latencies exist only for the whole run'],
  ['added.e2e.p90>=5ms', 'must use <=, because a latency has an upper bound'],
  ['ttft.p99<=800', 'needs a unit, ms or s'],
  ['speech.tpot.p99<=800ms', 'tpot exists for chat-stream only'],
  ['images.tokens.rate>=5/s', 'tokens.rate exists for chat and chat-stream only'],
  ['rate<=50/s', 'must use >= for rate'],
  ['rate>=50', 'needs the unit /s'],
  ['failed.rate<=1', 'needs the unit %'],
  ['failed.rate<=101%', 'must be at most 100 %'],
  ['dropped.count<=1%', 'is a number without a unit'],
  ['chat.dropped.count<=0', 'dropped.count exists only for the whole run'],
])('rejects the budget %j in one sentence', (text, words) => {
  const error = errorOf(text)
  expect(error).toBeInstanceOf(InvalidOptionError)
  expect(String(error)).toMatch(/^InvalidOptionError: Invalid budgets\. The budget ".*" .*[^.]\.$/)
  expect(String(error)).toContain(words)
})

function errorOf(text: string): unknown {
  try {
    return parseBudget(text)
  } catch (error) {
    return error
  }
}

test('shows the first 60 characters of an invalid budget', () => {
  expect(String(errorOf('x'.repeat(1000)))).toContain(`The budget "${'x'.repeat(60)}" has an invalid form`)
})

test('allows one failed request in a hundred by default', () => {
  expect(DEFAULT_BUDGET).toEqual(parseBudget('failed.rate<=1%'))
})

describe('the number of needed samples', () => {
  /** Probability that at most one of n samples exceeds the percentile p: P(Bin(n, 1 - p) <= 1). */
  const chance = (n: number, p: number) => p ** n + n * (1 - p) * p ** (n - 1)

  test.each([
    ['p50', 0.5],
    ['p90', 0.9],
    ['p95', 0.95],
    ['p99', 0.99],
  ] as const)('the number of needed samples of %s makes two samples above the limit likely', (statistic, p) => {
    const needed = MIN_SAMPLES[statistic]
    expect(chance(needed, p)).toBeLessThanOrEqual(0.01)
    expect(chance(needed - 1, p)).toBeGreaterThan(0.01)
  })
})

test('calculates the needed samples from the least strict of several limits on single requests', () => {
  const budgets = [
    'ttft.p50<=100ms',
    'ttft.p99<=800ms',
    'ttft.p90<=500ms',
    'ttft.mean<=5s',
    'chat.e2e.p90<=2s',
    'start_lag.p99<=1ms',
    'rate>=1/s',
  ]
  expect(buildRequestLimits(budgets.map(parseBudget))).toEqual({
    'chat-stream': { ttftMs: 800 },
    chat: { e2eMs: 2000 },
  })
  expect(buildRequestLimits([parseBudget('e2e.p99<=1s')])).toMatchObject({
    models: { e2eMs: 1000 },
    speech: { e2eMs: 1000 },
  })
})
