import { describe, expect, test } from 'vitest'
import { createScriptedExchange } from '../prove/no-evidence-targets/scripted-context.ts'
import { LatencySamples } from './latency-samples.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { evaluateBudgets, MIN_SAMPLES, parseBudget, countRequiredSamples, calculateStatistic } from './budget.ts'

describe('parseBudget', () => {
  test.each([
    ['chat-stream.ttft.p90<=800ms', { operation: 'chat-stream', metric: 'ttft', statistic: 'p90', limitMs: 800 }],
    [' images.total.max <= 1.5 s ', { operation: 'images', metric: 'total', statistic: 'max', limitMs: 1500 }],
    ['models.total.mean<=0ms', { operation: 'models', metric: 'total', statistic: 'mean', limitMs: 0 }],
  ])('parses the budget %j', (text, budget) => {
    expect(parseBudget(text)).toEqual(budget)
  })

  test.each([
    ['', 'is not a valid budget: write'],
    ['chat.total.p90<800ms', 'must use <=: write chat.total.p90<=800ms'],
    ['chat.total.p90<=800', 'has no unit: write 800ms or 800s'],
    ['chat.total.p90', 'has no limit: write chat.total.p90<=800ms'],
    ['ttft.p90<=800ms', 'names no operation: write chat-stream.ttft.p90<=800ms'],
    ['total', 'names no operation: write chat.total.p90<=800ms'],
    ['chat.total<=1s', 'names no statistic: write chat.total.p90<=800ms'],
    ['chat.total.p90<=800m', 'is not a valid budget'],
    ['chat.total.p90<=-1ms', 'is not a valid budget'],
    ['talk.total.p90<=1s', 'has an unknown operation: use one of models, chat, chat-stream,'],
    ['chat.itl.p90<=1s', 'has an unknown metric: use ttft or total'],
    ['chat.ttft.p90<=1s', 'which is measured only for chat-stream: write chat-stream.ttft'],
    ['chat.total.p80<=1s', 'has an unknown statistic: use one of p50, p90, p95, p99, max, mean'],
    ['chat.total.toString<=1s', 'has an unknown statistic'],
  ])('rejects the budget %j', (text, sentence) => {
    expect(() => parseBudget(text)).toThrow(InvalidOptionError)
    expect(() => parseBudget(text)).toThrow(sentence)
  })

  test('requires the largest number of samples of an operation’s statistics, or the given number', () => {
    const budgets = ['chat.total.p90<=1s', 'chat.total.p50<=1s', 'models.total.max<=1s'].map(parseBudget)
    const counts = (chosen?: number) =>
      (['chat', 'models', 'images'] as const).map((operation) => countRequiredSamples(budgets, operation, chosen))
    expect(counts()).toEqual([64, 11, 0])
    expect(counts(5)).toEqual([5, 5, 0])
  })
})

/**
 * Calculates the probability that at most one of n samples lies above a percentile. `above` is the fraction of all
 * values above it.
 */
function chanceOfAtMostOne(n: number, above: number): number {
  return (1 - above) ** n + n * above * (1 - above) ** (n - 1)
}

test.each([
  ['p50', 0.5],
  ['p90', 0.1],
  ['p95', 0.05],
  ['p99', 0.01],
] as const)(
  '%s requires the fewest samples of which at most one exceeds it with a probability of 1 percent',
  (name, above) => {
    const needed = MIN_SAMPLES[name]
    expect(chanceOfAtMostOne(needed, above)).toBeLessThanOrEqual(0.01)
    expect(chanceOfAtMostOne(needed - 1, above)).toBeGreaterThan(0.01)
  },
)

test.each([
  ['p50', 5],
  ['p90', 9],
  ['p95', 10],
  ['p99', 10],
  ['max', 10],
  ['mean', 5.5],
] as const)('calculates %s of the numbers 1 to 10 as %d', (statistic, expected) => {
  const shuffled = [7, 3, 10, 1, 9, 5, 2, 8, 6, 4]
  expect(calculateStatistic(shuffled, statistic)).toBe(expected)
  expect(calculateStatistic([], statistic)).toBeUndefined()
})

function samplesOf(valuesMs: readonly number[]): LatencySamples {
  const samples = new LatencySamples()
  const request = { method: 'GET', path: '/v1/models', headers: {} }
  for (const totalMs of valuesMs) samples.add({ ...createScriptedExchange({ status: 200 }, request), totalMs })
  return samples
}

describe('evaluateBudgets', () => {
  const evaluate = (budget: string, valuesMs: readonly number[]) =>
    evaluateBudgets([parseBudget(budget)], samplesOf(valuesMs))
  const ten = Array.from({ length: 10 }, (_, index) => index + 1)

  test('a latency equal to the limit is within the budget', () => {
    const entry = { metric: 'models.total', statistic: 'p50', op: '<=', unit: 'ms', actual: 6, n: 11, needed: 11 }
    expect(evaluate('models.total.p50<=6ms', [...ten, 11])).toEqual([{ ...entry, limit: 6, verdict: 'within' }])
    expect(evaluate('models.total.p50<=5.9ms', [...ten, 11])).toEqual([{ ...entry, limit: 5.9, verdict: 'broken' }])
  })

  test('reports too few samples for the statistic of a budget', () => {
    expect(evaluate('models.total.p50<=6ms', ten)[0]?.verdict).toBe('insufficient samples')
    expect(evaluate('models.total.p50<=1ms', ten)[0]?.verdict).toBe('insufficient samples')
    expect(evaluate('models.total.max<=10ms', ten)[0]?.verdict).toBe('within')
    expect(evaluate('models.total.max<=1ms', [])[0]).toMatchObject({
      actual: null,
      n: 0,
      verdict: 'insufficient samples',
    })
  })

  test('ignores failed requests in the latency samples of a budget', () => {
    const samples = new LatencySamples()
    const request = { method: 'GET', path: '/v1/models', headers: {} }
    for (const status of [500, 429, 302]) samples.add(createScriptedExchange({ status }, request))
    samples.add(createScriptedExchange({ status: 200, error: { kind: 'reset', message: 'reset' } }, request))
    expect(samples.entries()).toEqual([])
  })
})
