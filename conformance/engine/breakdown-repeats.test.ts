import { describe, expect, test } from 'vitest'
import { BreakdownRepeats } from './breakdown-repeats.ts'

describe('the pause before a repeat', () => {
  test.each([
    [{}, 1000],
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0' }, 1000],
    [{ 'retry-after': '3600' }, 10_000],
  ])('follows the header fields %j: %i ms', (headers, pauseMs) => {
    expect(new BreakdownRepeats().pauseMs('chat valid', headers, 0)).toBe(pauseMs)
  })

  test('ends after three requests of one group in a row that broke down twice, until one is answered', () => {
    const repeats = new BreakdownRepeats()
    const pauses = (): number[] => ['chat mistake', 'chat valid'].map((group) => repeats.pauseMs(group, {}, 0))
    for (let count = 0; count < 2; count += 1) repeats.record('chat mistake', true)
    expect(pauses()).toEqual([1000, 1000])
    repeats.record('chat mistake', true)
    expect(pauses()).toEqual([0, 1000])
    repeats.record('chat mistake', false)
    expect(pauses()).toEqual([1000, 1000])
  })
})

test('repeats go one at a time, in their order, also after one that was rejected', async () => {
  const repeats = new BreakdownRepeats()
  const events: string[] = []
  const work = (name: string) => async (): Promise<string> => {
    events.push(`${name} starts`)
    await Promise.resolve()
    events.push(`${name} ends`)
    if (name === 'first') throw new Error('cut')
    return name
  }
  const results = await Promise.allSettled([repeats.inTurn(work('first')), repeats.inTurn(work('second'))])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(events).toEqual(['first starts', 'first ends', 'second starts', 'second ends'])
})
