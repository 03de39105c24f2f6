import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { getAbortReason, TimeLimit } from './time-limit.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('ends a run after ten minutes by default', () => {
  const { signal } = new TimeLimit(undefined)
  vi.advanceTimersByTime(599_000)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1000)
  expect(getAbortReason(signal)).toEqual({ code: 'time-limit-reached', params: {} })
})

test('extends the default limit by the time that the rate limit requires', () => {
  const limit = new TimeLimit(undefined)
  vi.advanceTimersByTime(100_000)
  limit.follow(600_000)
  limit.follow(1000)
  vi.advanceTimersByTime(659_000)
  expect(limit.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1000)
  expect(limit.signal.aborted).toBe(true)
})

test('does not extend the limit that the tester sets', () => {
  const limit = new TimeLimit(30)
  limit.follow(600_000)
  vi.advanceTimersByTime(30_000)
  expect(limit.signal.aborted).toBe(true)
})
