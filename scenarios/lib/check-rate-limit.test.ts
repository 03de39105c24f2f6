import { describe, expect, test } from 'vitest'
import type { ExtensionResult, OperationResult } from './extension-result.ts'
import { admittedBounds, checkRateLimit } from './check-rate-limit.ts'

const BUCKET = { requests: 60, windowS: 60, burst: 5, obey: false }
const WINDOW = { requests: 100, windowS: 60, obey: false }

function bounds(limit: typeof WINDOW, requests: number, seconds: number, isSaturated = true): [number, number] {
  const { min: least, max: most } = admittedBounds(limit, {
    requests,
    shortestS: seconds,
    longestS: seconds,
    isSaturated,
  })
  return [least, most]
}

describe('what a limit lets through', () => {
  test('of a bucket: what it holds, and what flows in', () => {
    expect(bounds(BUCKET, 1000, 0)).toEqual([5, 6])
    expect(bounds(BUCKET, 1000, 30)).toEqual([35, 36])
  })

  test('of a window: its number in the first one, and for each that may be touched', () => {
    expect(bounds(WINDOW, 1000, 10)).toEqual([100, 200])
    expect(bounds(WINDOW, 1000, 130)).toEqual([200, 400])
  })

  test('is no more than was asked for', () => {
    expect(bounds(BUCKET, 3, 30)).toEqual([3, 3])
  })

  test('has no least where clients left some of it', () => {
    expect(bounds(BUCKET, 40, 30, false)).toEqual([0, 36])
    expect(bounds(BUCKET, 4, 30, false)).toEqual([4, 4])
  })
})

describe('a run', () => {
  function judge(byStatus: Record<string, number>, seconds: readonly number[] = [0]): [number, number][] {
    const operation = { byStatus } as unknown as OperationResult // the part that is read
    const series = seconds.map((atS) => ({ atS, requests: 1, ok: 0, failed: 0, inFlight: 0, ttft: null }))
    const result = { operations: { chat: operation }, series } as unknown as ExtensionResult // the same
    return checkRateLimit(BUCKET, true, result).map(({ passes, fails }) => [passes, fails])
  }

  const [HOLDS, BROKEN, UNTESTED] = [
    [1, 0],
    [0, 1],
    [0, 0],
  ]

  test('that is let through as declared contradicts nothing', () => {
    expect(judge({ '200': 5, '429': 20 })).toEqual([HOLDS, HOLDS])
  })

  test('without any limit contradicts the declared one', () => {
    expect(judge({ '200': 25 })).toEqual([BROKEN, HOLDS])
  })

  test('that is refused too early contradicts it as well', () => {
    expect(judge({ '200': 3, '429': 20 })).toEqual([HOLDS, BROKEN])
    expect(judge({ '200': 6, '429': 20 }, [0, 1, 2, 3, 4])).toEqual([HOLDS, BROKEN])
  })

  test('that never reached the limit says nothing of its upper end', () => {
    expect(judge({ '200': 4 })).toEqual([UNTESTED, HOLDS])
  })

  test('in which nothing was answered says nothing', () => {
    expect(judge({ '500': 4 })).toEqual([UNTESTED, UNTESTED])
  })
})
