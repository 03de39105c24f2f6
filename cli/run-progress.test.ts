import { expect, test } from 'vitest'
import { createRunProgress } from './run-progress.ts'

const MINUTE_MS = 60_000

function display(isTTY: boolean) {
  let now = 0
  let written = ''
  const output = { isTTY, write: (text: string) => void (written += text) }
  const progress = createRunProgress(output, () => now)
  return {
    at(ms: number, done: number, remainingMs?: number): string {
      now = ms
      written = ''
      const limit = remainingMs === undefined ? {} : { limit: { remainingMs, requestsPerMinute: 60 } }
      progress.update({ done, total: 100, ...limit })
      return written
    },
  }
}

test('announces the duration of a long run if it follows from a rate limit', () => {
  const { at } = display(false)
  expect(at(2000, 0)).toBe('')
  expect(at(2000, 0, 8 * MINUTE_MS)).toBe('The run takes at most 8 min, at about 60 requests a minute.\n')
  expect(display(false).at(0, 0, 29_000)).toBe('')
})

test('announces the duration again after it changes by half', () => {
  const { at } = display(false)
  at(0, 0, 60_000)
  expect(at(10_000, 5, 70_000)).toBe('')
  expect(at(20_000, 9, 100_000)).toContain('at most 2 min')
})

test('writes a progress line every minute if the output is not a terminal', () => {
  const { at } = display(false)
  at(0, 0, 5 * MINUTE_MS)
  expect(at(59_000, 20, 4 * MINUTE_MS)).toBe('')
  expect(at(61_000, 21, 4 * MINUTE_MS)).toBe('21 of 100 checks after 61 s, at most 4 min left\n')
  expect(at(90_000, 30, 3 * MINUTE_MS)).toBe('')
  expect(display(false).at(61_000, 21)).toBe('21 of 100 checks after 61 s\n')
})

test('shows the remaining duration of the run on a terminal', () => {
  expect(display(true).at(2000, 5, 20_000)).toContain('5 of 100 checks, 2 s, at most 20 s left')
})
