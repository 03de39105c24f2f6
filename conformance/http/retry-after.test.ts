import { expect, onTestFinished, test, vi } from 'vitest'
import { parseRetryAfterMs, readServerTimeMs } from './retry-after.ts'

const DATE = 'Thu, 01 Jan 1970 00:00:10 GMT'

test.each([
  ['2', 2000],
  ['0.5', 500],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
  ['Thu, 01 Jan 1970 00:00:01 GMT', 0],
  ['-3', undefined],
  ['soon', undefined],
  ['1e3', undefined],
  ['', undefined],
])('parses Retry-After %j as %s ms by the clock of the server', (value, expected) => {
  expect(parseRetryAfterMs({ 'retry-after': value, date: DATE })).toBe(expected)
})

test('uses the clock of this machine for a response without a valid Date', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  onTestFinished(() => void vi.useRealTimers())
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
  for (const headers of [{ 'retry-after': inAnHour }, { 'retry-after': inAnHour, date: '5' }]) {
    expect(parseRetryAfterMs(headers)).toBe(3_600_000)
  }
  expect(readServerTimeMs({ date: DATE })).toBe(10_000)
})
