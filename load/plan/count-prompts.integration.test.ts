import { expect, test, vi } from 'vitest'
import type { LoadContext } from '../options/load-context.ts'
import type { LoadOptions } from '../options/load-options.ts'
import { TEST_LOAD_OPTIONS } from '../testing/default-options.ts'
import { countPlanPrompts, calculateMaxCountingUnits } from './count-prompts.ts'
import { planLoad } from './plan-load.ts'
import type { LoadPlan } from './load-plan.ts'

/**
 * Builds a plan that fails the test if a prompt is generated. Reading the arrivals fails, and the generation reads
 * them.
 */
async function planWithoutPrompts(changes: Partial<LoadOptions>): Promise<LoadPlan> {
  const plan = await planLoad({ ...TEST_LOAD_OPTIONS, ...changes })
  return Object.defineProperty({ ...plan }, 'arrivals', {
    get: () => expect.fail('a prompt was generated'),
  })
}

/** A target that is not an emulator, at an address where no server listens. */
const TARGET = {
  url: 'http://127.0.0.1:1',
  keys: {},
  entry: { url: 'http://127.0.0.1:1', embedded: false, isEmulator: false, keys: {}, models: {} },
}

function contextWith(signal = new AbortController().signal) {
  return { signal, startEmbedded: vi.fn<LoadContext['startEmbedded']>() }
}

test('neither counts nor generates the prompts of a long run', async () => {
  const context = contextWith()
  const long = await planWithoutPrompts({ rate: 100, durationS: 21 })
  expect(await countPlanPrompts(long, context)).toEqual({ plan: long, notes: [] })
  const withoutChat = await planWithoutPrompts({ scenario: 'speech' })
  expect(await countPlanPrompts(withoutChat, context)).toEqual({ plan: withoutChat, notes: [] })
  expect(context.startEmbedded).not.toHaveBeenCalled()
})

test('counts no prompts at a target that is not an emulator, unless countPrompts is set', async () => {
  const plan = await planWithoutPrompts({ target: 'http://a' })
  expect(await countPlanPrompts(plan, contextWith(), TARGET)).toEqual({ plan, notes: [] })
})

test('estimates the cost of counting as one additional request per prompt, with one token', async () => {
  const plan = await planWithoutPrompts({ target: 'http://a', rate: 2, durationS: 5, countPrompts: true })
  expect(calculateMaxCountingUnits(plan)).toBe((plan.estimate.chatTokens.prompt + 10) * 4)
  expect(calculateMaxCountingUnits(await planWithoutPrompts({ target: 'http://a', rate: 2, durationS: 5 }))).toBe(0)
})

test('does not count prompts if that might cost more than maxCredits', async () => {
  const changes = { target: 'http://a', rate: 2, durationS: 5, countPrompts: true, maxCredits: '0.1' }
  const plan = await planWithoutPrompts(changes)
  expect(await countPlanPrompts(plan, contextWith(), TARGET)).toEqual({
    plan,
    notes: ['Prompts were not counted beforehand, because counting might cost more than maxCredits.'],
  })
})

test('explains why prompts could not be counted, unless the run was aborted', async () => {
  const plan = await planLoad({ ...TEST_LOAD_OPTIONS, target: 'http://a', iterations: 1, countPrompts: true })
  const notesOf = async (signal?: AbortSignal) => (await countPlanPrompts(plan, contextWith(signal), TARGET)).notes
  expect(await notesOf()).toEqual(['Cannot count prompts beforehand: connection refused.'])
  expect(await notesOf(AbortSignal.abort())).toEqual([])
})
