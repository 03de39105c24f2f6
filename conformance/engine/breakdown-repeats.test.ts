import { describe, expect, test } from 'vitest'
import { BreakdownRepeats } from './breakdown-repeats.ts'

describe('the pause before a repeat', () => {
  test.each([
    [{}, 1000],
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0' }, 1000],
    [{ 'retry-after': '3600' }, 10_000],
  ])('the pause for the header fields %j is %i ms', (headers, pauseMs) => {
    expect(new BreakdownRepeats().pauseMs('chat valid', headers, 0)).toBe(pauseMs)
  })

  test('omits the pause after three consecutive requests of a group that broke down twice, until one gets a response', () => {
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

test('sends repeats one at a time and in order, even after a rejected one', async () => {
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
