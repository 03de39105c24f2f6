import { expect, test } from 'vitest'
import { createRunProgress } from './run-progress.ts'

const MINUTE_MS = 60_000

function display(isTTY: boolean) {
  let now = 0
  let written = ''
  const output = { isTTY, write: (text: string) => void (written += text) }
  const progress = createRunProgress(output, () => now)
  return {
    at(ms: number, done: number, remainingMs: number, requestsPerMinute?: number): string {
      now = ms
      written = ''
      const rate = requestsPerMinute === undefined ? {} : { requestsPerMinute }
      progress.update({ done, total: 100, remainingMs, limitMs: 17 * MINUTE_MS, ...rate })
      return written
    },
  }
}

test('announces the duration of a long run with its reason and time limit', () => {
  const { at } = display(false)
  expect(at(2000, 0, 8 * MINUTE_MS, 60)).toBe(
    'The run takes about 8 min, because the key allows about 60 requests a minute. It ends after 17 min at the latest.\n',
  )
  expect(display(false).at(0, 0, 45_000)).toBe(
    'The run takes about 45 s, at the pace of the responses so far. It ends after 17 min at the latest.\n',
  )
})

test('announces a range as long as few responses determine the estimate', () => {
  const progress = { done: 0, total: 100, remainingMs: 6 * MINUTE_MS, limitMs: 17 * MINUTE_MS }
  let written = ''
  const shown = createRunProgress({ isTTY: false, write: (text: string) => void (written += text) }, () => 0)
  shown.update({ ...progress, isRough: true })
  expect(written).toBe(
    'The run takes between 3 min and 12 min, at the pace of the few responses so far. It ends after 17 min at the latest.\n',
  )
  written = ''
  shown.update(progress)
  shown.update(progress)
  expect(written).toBe(
    'The run takes about 6 min, at the pace of the responses so far. It ends after 17 min at the latest.\n',
  )
})

test('warns about a possible rate limit if no response has reported one', () => {
  const progress = { done: 0, total: 100, remainingMs: 45_000, limitMs: 17 * MINUTE_MS, isLimitUnknown: true }
  let written = ''
  createRunProgress({ isTTY: false, write: (text: string) => void (written += text) }, () => 0).update(progress)
  expect(written).toContain(
    'at the pace of the responses so far, and longer if the key has a rate limit: no response has reported one. It ends',
  )
})

test('announces no duration for a run of less than half a minute', () => {
  expect(display(false).at(0, 0, 29_000)).toBe('')
})

test('announces the duration again after it changes by half', () => {
  const { at } = display(false)
  at(0, 0, 60_000)
  expect(at(10_000, 5, 70_000)).toBe('')
  expect(at(20_000, 9, 100_000)).toContain('about 2 min')
})

test('writes a progress line every minute if the output is not a terminal', () => {
  const { at } = display(false)
  at(0, 0, 5 * MINUTE_MS)
  expect(at(59_000, 20, 4 * MINUTE_MS)).toBe('')
  expect(at(61_000, 21, 4 * MINUTE_MS)).toBe('21 of 100 checks after 61 s, about 4 min left\n')
  expect(at(90_000, 30, 3 * MINUTE_MS)).toBe('')
})

test('shows the remaining duration of the run on a terminal', () => {
  const { at } = display(true)
  expect(at(2000, 5, 20_000)).toContain('5 of 100 checks, 2 s, about 20 s left')
})
