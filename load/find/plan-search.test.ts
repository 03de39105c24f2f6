import { expect, test } from 'vitest'
import { applyDefaults } from '../options/load-options.ts'
import type { GivenOptions } from '../../scenarios/lib/option-values.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { planRun, planSearch, type SearchRun } from './plan-search.ts'

const plan = (given: GivenOptions) => planSearch(applyDefaults({ find: ['ttft.p90<=1s'], ...given }))

const durationOf = ({ settings }: Awaited<ReturnType<typeof planRun>>) =>
  settings.stages.reduce((sum, { durationS }) => sum + durationS, 0)

test('plans a short first run at a low rate', async () => {
  const { search, settings, budgets } = await plan({ find: ['ttft.p99<=1s', 'itl.p50<=50ms'] })
  expect(search).toMatchObject({
    unit: 'requests per second',
    firstLevel: 4,
    maxLevel: 1000,
    resolution: 0.05,
    maxDurationS: 1800,
  })
  expect(settings).toMatchObject({ arrivals: 'constant', stages: [{ from: 4, to: 4 }] })
  expect(budgets.map(({ metric }) => metric)).toEqual(['ttft', 'itl', 'failed.rate'])
})

test('plans proofs with the samples that a decision needs, and other prompts in repeated runs', async () => {
  const { search } = await plan({ scenario: 'mixed', weights: { 'chat-stream': 1, chat: 3 }, durationS: 5 })
  if (search === undefined) throw new Error('the plan has no search')
  const run = (given: Partial<SearchRun>) =>
    planRun(search.options, { level: 200, kind: 'probe', responseS: 1, ...given })
  const [slow, fast, again] = [
    await run({ level: 2, kind: 'proof' }),
    await run({}),
    await run({ count: 1, maxCredits: '1.5' }),
  ]
  // Only one in four requests is a stream.
  expect(durationOf(slow)).toBeGreaterThan(100)
  expect(slow.estimate.requests?.['chat-stream']).toBeGreaterThanOrEqual(75)
  expect(durationOf(fast)).toBe(5)
  expect(again.settings.seed).not.toBe(fast.settings.seed)
  expect(again.settings.extension.maxUnits).toBe(15_000)
})

test('plans runs that last several responses, and have several requests', async () => {
  const { options } = await plan({}).then(({ search }) => search ?? { options: applyDefaults({}) })
  const lengthOf = async (given: Partial<SearchRun>) =>
    durationOf(await planRun(options, { level: 100, kind: 'probe', responseS: 1, ...given }))
  expect(await lengthOf({})).toBe(5)
  expect(await lengthOf({ responseS: 10 })).toBe(30)
  expect(await lengthOf({ level: 1 })).toBe(20)
})

test('plans a closed loop that starts its streams over one response', async () => {
  const { search } = await plan({ find: ['ttft.p99<=1s'], findOver: 'streams', vus: 500 })
  expect(search).toMatchObject({
    unit: 'parallel streams',
    firstLevel: 8,
    maxLevel: 500,
    minLevel: 1,
    isWhole: true,
    credits: null,
  })
  if (search === undefined) throw new Error('the plan has no search')
  const { settings } = await planRun(search.options, { level: 64, kind: 'proof', responseS: 2 })
  expect(settings).toMatchObject({ arrivals: 'closed', vus: 64 })
  expect(settings.stages[0]).toEqual({ durationS: 2, from: 1, to: 64 })
  // 64 streams of two seconds give 32 samples per second, and a decision on p99 needs 774.
  expect(settings.stages[1]).toMatchObject({ from: 64, to: 64 })
  expect(settings.stages[1]?.durationS).toBeGreaterThan(774 / 32)
  expect(settings.stages[1]?.durationS).toBeLessThan(35)
})

test('plans proofs of many fast streams by a sample of their requests', async () => {
  const given = { find: ['ttft.p99<=1s'], findOver: 'streams', vus: 5000 } as const
  const options = applyDefaults({ ...given, scenario: 'mixed', weights: { 'chat-stream': 1, chat: 99 }, durationS: 5 })
  const lengthOf = async (run: Pick<SearchRun, 'level' | 'responseS'>) =>
    durationOf(await planRun(options, { kind: 'proof', ...run }))
  // One in a hundred of 4000 requests per second is a stream, and a decision on p99 needs 774 streams.
  expect(await lengthOf({ level: 4000, responseS: 1 })).toBeGreaterThan(774 / 40)
  expect(await lengthOf({ level: 4000, responseS: 1 })).toBeLessThan(30)
  expect(await lengthOf({ level: 5000, responseS: 0.0005 })).toBeCloseTo(5, 1)
})

test('includes one warm-up in the estimates', async () => {
  const given = { rate: 8, maxRate: 64, find: ['ttft.p99<=1s'] }
  const [cold, warm] = [await plan(given), await plan({ ...given, warmUpS: 50 })]
  const warmUpUnits = (warm.estimate.units ?? 0) - (cold.estimate.units ?? 0)
  expect(warmUpUnits).toBeGreaterThan(0)
  expect(Number(warm.search?.credits) - Number(cold.search?.credits)).toBeLessThan(1.1 * warmUpUnits * 1e-4)
  expect(Number(warm.search?.credits) - Number(cold.search?.credits)).toBeGreaterThan(0.9 * warmUpUnits * 1e-4)
  expect(warm.search?.durationS.from).toBe((cold.search?.durationS.from ?? 0) + 50)
})

test('estimates the duration and bounds the cost of a search', async () => {
  const { search, estimate } = await plan({ rate: 8, maxRate: 64, find: ['ttft.p99<=1s'] })
  expect(search?.durationS.from).toBeGreaterThan(60)
  expect(search?.durationS.to).toBeLessThan(300)
  // The most expensive search doubles the first rate three times, and then has twelve short and three long runs.
  const runUnits = (estimate.units ?? 0) * 8 * 1e-4
  expect(Number(search?.credits)).toBeGreaterThan(12 * runUnits)
  expect(Number(search?.credits)).toBeLessThan(30 * runUnits)
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
  ['a closed loop, unless it is over streams', { arrivals: 'closed' }, 'A search over the rate needs planned arrivals'],
  ['planned arrivals over streams', { findOver: 'streams', arrivals: 'poisson' }, 'Omit the arrivals'],
  ['a rate over streams', { findOver: 'streams', rate: 5 }, 'find cannot be combined with rate'],
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
  [
    'runs that are too long for the highest rate',
    { durationS: 60, maxRate: 10_000 },
    'Invalid maxRate. At this rate, the longest run would send 2420000 requests',
  ],
  ['a budget of another scenario', { scenario: 'speech' }, 'has no streams'],
])('rejects a search with %s', async (_name, given, words) => {
  await expect(plan(given)).rejects.toThrow(words)
})
