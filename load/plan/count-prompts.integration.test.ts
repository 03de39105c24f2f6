import { expect, test, vi } from 'vitest'
import type { LoadOptions, LoadContext } from '../options/load-options.ts'
import { planLoad, type LoadPlan } from './plan-load.ts'
import { DEFAULT_OPTIONS } from '../testing/default-options.ts'
import { countAtEmulator, countAtTarget, countingUnits } from './refine-estimate.ts'

/** A run whose prompts cannot be written, as they are made of its arrivals. */
async function unwritable(changes: Partial<LoadOptions>): Promise<LoadPlan> {
  const resolved = await planLoad({ ...DEFAULT_OPTIONS, ...changes })
  return Object.defineProperty({ ...resolved }, 'arrivals', {
    get: () => expect.fail('a prompt was written'),
  })
}

test('prompts of a long run are not counted, and not even written', async () => {
  const startEmbedded = vi.fn<LoadContext['startEmbedded']>()
  const long = await unwritable({ rate: 100, durationS: 21 })
  expect(await countAtEmulator(long, { startEmbedded })).toBe(long)
  const without = await unwritable({ scenario: 'speech' })
  expect(await countAtEmulator(without, { startEmbedded })).toBe(without)
  expect(startEmbedded).not.toHaveBeenCalled()
})

test('what counting may cost is known without a prompt: each once more, and an answer of one token', async () => {
  const resolved = await unwritable({ target: 'http://a', rate: 2, durationS: 5, countsPrompts: true })
  expect(countingUnits(resolved)).toBe((resolved.forecast.chatTokens.prompt + 10) * 4)
  expect(countingUnits(await unwritable({ target: 'http://a', rate: 2, durationS: 5 }))).toBe(0)
})

test('prompts are not counted where that alone might cost more than the run may', async () => {
  const poor = await unwritable({ target: 'http://a', rate: 2, durationS: 5, countsPrompts: true, maxCredits: '0.1' })
  const asked = { url: 'http://127.0.0.1:1', key: undefined, signal: AbortSignal.timeout(1000) }
  expect(await countAtTarget(poor, asked)).toEqual({
    resolved: poor,
    notes: ['Prompts were not counted beforehand: that alone might cost more than --max-credits.'],
  })
})

test('why prompts could not be counted is told, unless the run was ended', async () => {
  const resolved = await planLoad({ ...DEFAULT_OPTIONS, target: 'http://a', iterations: 1, countsPrompts: true })
  const notesOf = async (signal: AbortSignal) => {
    const { notes } = await countAtTarget(resolved, { url: 'http://127.0.0.1:1', key: undefined, signal })
    return notes
  }
  const refused = 'Prompts could not be counted beforehand (connection refused).'
  expect(await notesOf(new AbortController().signal)).toEqual([refused])
  expect(await notesOf(AbortSignal.abort())).toEqual([])
})
