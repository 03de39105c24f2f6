import { expect, test } from 'vitest'
import { CommonLimitDetector } from './common-limit-detector.ts'

test('a limit is common if the target rejects two keys one after the other', () => {
  const detector = new CommonLimitDetector<string>()
  expect(detector.limited('a', { sentAtMs: 0, nowMs: 10, waitMs: 1000 })).toBe(false)
  expect(detector.limited('a', { sentAtMs: 10, nowMs: 20, waitMs: 1000 })).toBe(false)
  expect(detector.limited('b', { sentAtMs: 20, nowMs: 30, waitMs: 1000 })).toBe(true)
})

test('a limit is not common if the target rejects two keys at the same time, or accepts a request in between', () => {
  const parallel = new CommonLimitDetector<string>()
  parallel.limited('a', { sentAtMs: 0, nowMs: 10, waitMs: 1000 })
  expect(parallel.limited('b', { sentAtMs: 5, nowMs: 15, waitMs: 1000 })).toBe(false)
  const separate = new CommonLimitDetector<string>()
  separate.limited('a', { sentAtMs: 0, nowMs: 10, waitMs: 1000 })
  separate.accepted(11)
  expect(separate.limited('b', { sentAtMs: 12, nowMs: 15, waitMs: 1000 })).toBe(false)
})

test('a limit is common if the target rejects a key twice while another key waits, even if it accepts other requests', () => {
  const detector = new CommonLimitDetector<string>()
  const limit = (key: string, sentAtMs: number): boolean => {
    const isCommon = detector.limited(key, { sentAtMs, nowMs: sentAtMs + 5, waitMs: 1000 })
    detector.accepted(sentAtMs + 6)
    return isCommon
  }
  expect([limit('a', 0), limit('b', 100), limit('a', 1100)]).toEqual([false, false, true])
  expect([limit('c', 9000)]).toEqual([true])
})
