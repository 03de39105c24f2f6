import { expect, test } from 'vitest'
import type { PacedKeyRole } from './lane.ts'
import { Pace } from './pace.ts'
import { VirtualClock } from './testing/virtual-clock.ts'

/** Sends requests one after another. Each gets its status after 5 ms. Returns the times at which they started. */
async function sendInTurn(requests: readonly (readonly [key: PacedKeyRole, status: number, pauseMs?: number])[]) {
  const clock = new VirtualClock()
  const pace = new Pace(undefined, clock, new AbortController().signal)
  const startedMs: number[] = []
  const work = async (): Promise<void> => {
    for (const [key, status, pauseMs = 0] of requests) {
      await clock.wait(pauseMs)
      const turn = await pace.waitForPermit({ key, tokens: 80, rejections: 0 })
      startedMs.push(clock.nowMs())
      await clock.wait(5)
      turn?.end({ status, headers: {} })
    }
  }
  await clock.run(work())
  return { pace, startedMs }
}

const EXHAUSTED = [
  ['funded', 200],
  ['no-credits', 429],
  ['no-credits', 429, 10_000],
] as const

test('a key that gets 429 even after ten seconds is limited by its account, and no longer waits', async () => {
  const { pace, startedMs } = await sendInTurn([...EXHAUSTED, ['no-credits', 429], ['no-credits', 429]])
  expect(pace.isLimitedByAccount('no-credits')).toBe(true)
  const [before = 0, ...later] = startedMs.slice(2)
  expect(later).toEqual([before + 5, before + 10])
  expect(pace.requestsPerMinute).toBeUndefined()
})

test('429s to several accounts without credits are not a common limit', async () => {
  const { pace } = await sendInTurn([...EXHAUSTED, ['small', 429], ['small', 429]])
  expect(pace.hasCommonLimit).toBe(false)
})

test('an error response other than 402 does not show that the account is within a limit again', async () => {
  const { pace } = await sendInTurn([...EXHAUSTED, ['no-credits', 404]])
  expect(pace.isLimitedByAccount('no-credits')).toBe(true)
})

test('a key is not limited by its account if a 402 or a 429 to the funded key shows a rate limit', async () => {
  expect((await sendInTurn([...EXHAUSTED, ['no-credits', 402]])).pace.isLimitedByAccount('no-credits')).toBe(false)
  expect((await sendInTurn([['no-credits', 402], ...EXHAUSTED])).pace.isLimitedByAccount('no-credits')).toBe(false)
  const { pace } = await sendInTurn([['funded', 429], ...EXHAUSTED])
  expect([pace.isLimitedByAccount('no-credits'), pace.limitsFundedKey]).toEqual([false, true])
  expect((await sendInTurn(EXHAUSTED.slice(0, 2))).pace.isLimitedByAccount('no-credits')).toBe(false)
})
