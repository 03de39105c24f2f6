import { expect, test } from 'vitest'
import { applyDefaults } from '../options/load-options.ts'
import type { GivenOptions } from '../../scenarios/lib/option-values.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { planRun, planSearch } from './plan-search.ts'

const plan = (given: GivenOptions) => planSearch(applyDefaults({ find: ['ttft.p90<=1s'], ...given }))

test('plans a first run that collects the samples of its budgets in about twenty seconds', async () => {
  const { search, settings, estimate, budgets } = await plan({ find: ['ttft.p99<=1s', 'itl.p50<=50ms'] })
  expect(search).toMatchObject({ firstRate: 33, maxRate: 1000, resolution: 0.05, maxDurationS: 1800 })
  expect(settings).toMatchObject({ arrivals: 'constant', stages: [{ from: 33, to: 33 }] })
  expect(estimate.requests?.['chat-stream']).toBeGreaterThanOrEqual(662 * 1.05)
  expect(budgets.map(({ metric }) => metric)).toEqual(['ttft', 'itl', 'failed.rate'])
})

test('plans longer runs at lower rates, and other prompts in repeated runs', async () => {
  const { search } = await plan({ scenario: 'mixed', weights: { 'chat-stream': 1, chat: 3 }, durationS: 5 })
  if (search === undefined) throw new Error('the plan has no search')
  const [slow, fast, again] = [
    await planRun(search.options, 2),
    await planRun(search.options, 200),
    await planRun(search.options, 200, { count: 1, maxCredits: '1.5' }),
  ]
  // Only one in four requests is a stream.
  expect(slow.settings.stages[0]?.durationS).toBeGreaterThan(100)
  expect(slow.estimate.requests?.['chat-stream']).toBeGreaterThanOrEqual(64)
  expect(fast.settings.stages[0]?.durationS).toBe(5)
  expect(again.settings.seed).not.toBe(fast.settings.seed)
  expect(again.settings.extension.maxUnits).toBe(15_000)
})

test('bounds the cost of the most expensive search', async () => {
  const { search, estimate } = await plan({ rate: 8, maxRate: 64 })
  // The most expensive search doubles the first rate three times, runs the highest rate, and then four rates between
  // the two highest. Each rate has four runs.
  expect(Number(search?.credits)).toBeGreaterThan(4 * 5 * (8 * (estimate.units ?? 0)) * 1e-4)
  expect(Number(search?.credits)).toBeLessThan(4 * 7 * (8 * (estimate.units ?? 0)) * 1e-4)
  // The most expensive search halves the first rate five times, and then runs four rates between the two lowest.
  const { search: down, estimate: of } = await plan({ rate: 64, maxRate: 64 })
  expect(Number(down?.credits)).toBeCloseTo(4 * 10 * (of.units ?? 0) * 1e-4, 3)
  expect((await plan({ scenario: 'speech', find: ['e2e.p50<=1s'] })).search?.credits).toBeNull()
})

test('names the option in which an invalid budget was given', async () => {
  const optionOf = async (given: GivenOptions) => {
    const error = await plan(given).catch((reason: unknown) => reason)
    return error instanceof InvalidOptionError ? error.params.option : error
  }
  expect(await optionOf({ find: ['ttft.p95<50ms'] })).toBe('find')
  expect(await optionOf({ scenario: 'images' })).toBe('find')
  expect(await optionOf({ budgets: ['failed.rate<9'] })).toBe('budgets')
})

test.each<[string, GivenOptions, string]>([
  ['a profile', { profile: 'stress' }, 'find cannot be combined with profile'],
  ['a closed loop', { arrivals: 'closed' }, 'find cannot be combined with arrivals'],
  ['iterations', { iterations: 5 }, 'find cannot be combined with iterations'],
  ['an upstream', { target: 'http://a', upstream: 'http://b' }, 'find cannot be combined with upstream'],
  ['a segment', { segment: { index: 0, count: 2 } }, 'find cannot be combined with segment'],
  ['requests that depend on each other', { scenario: 'soak' }, 'find cannot be combined with scenario'],
  ['a budget that low rates break', { find: ['goodput>=5/s'] }, 'A search cannot use goodput'],
  ['a budget on the generator', { find: ['start_lag.p50<=5ms'] }, 'A search cannot use start_lag'],
  [
    'another budget that low rates break',
    { budgets: ['rate>=5/s'] },
    'A search also tries low rates, which cannot meet rate>=5/s. Omit this budget.',
  ],
  ['a first rate above the highest', { rate: 9, maxRate: 8 }, 'begins at the rate 9'],
  ['a budget of another scenario', { scenario: 'speech' }, 'has no streams'],
])('rejects a search with %s', async (_name, given, words) => {
  await expect(plan(given)).rejects.toThrow(words)
})
