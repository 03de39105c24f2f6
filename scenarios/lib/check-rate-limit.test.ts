import { describe, expect, test } from 'vitest'
import type { ExtensionResult, OperationResult } from './extension-result.ts'
import { predictServedRequests, checkRateLimit } from './check-rate-limit.ts'

const BUCKET = { requests: 60, windowS: 60, burst: 5, obey: false }
const WINDOW = { requests: 100, windowS: 60, obey: false }

function bounds(limit: typeof WINDOW, requests: number, seconds: number, isSaturated = true): [number, number] {
  const { min: least, max: most } = predictServedRequests(limit, {
    requests,
    shortestS: seconds,
    longestS: seconds,
    isSaturated,
  })
  return [least, most]
}

describe('the number of requests that a limit allows', () => {
  test('a token bucket allows its capacity plus its refill', () => {
    expect(bounds(BUCKET, 1000, 0)).toEqual([5, 6])
    expect(bounds(BUCKET, 1000, 30)).toEqual([35, 36])
  })

  test('a window limit allows its number of requests for each window that the run may overlap', () => {
    expect(bounds(WINDOW, 1000, 10)).toEqual([100, 200])
    expect(bounds(WINDOW, 1000, 130)).toEqual([200, 400])
  })

  test('the number of allowed requests is at most the number of sent requests', () => {
    expect(bounds(BUCKET, 3, 30)).toEqual([3, 3])
  })

  test('the number of allowed requests has no lower bound if clients paused and sent more requests than the burst', () => {
    expect(bounds(BUCKET, 40, 30, false)).toEqual([0, 36])
    expect(bounds(BUCKET, 4, 30, false)).toEqual([4, 4])
  })
})

describe('the observed rate limit', () => {
  function evaluate(byStatus: Record<string, number>, seconds: readonly number[] = [0]): [number, number][] {
    // The cast is safe: the tested function reads only this field.
    const operation = { byStatus } as unknown as OperationResult
    const series = seconds.map((atS) => ({ atS, requests: 1, ok: 0, failed: 0, inFlight: 0, ttft: null }))
    // The cast is safe: the tested function reads only these fields.
    const result = { operations: { chat: operation }, series } as unknown as ExtensionResult
    return checkRateLimit(BUCKET, true, result).map(({ passes, fails }) => [passes, fails])
  }

  const [HOLDS, BROKEN, UNTESTED] = [
    [1, 0],
    [0, 1],
    [0, 0],
  ]

  test('the observed rate limit conforms if as many requests succeed as declared', () => {
    expect(evaluate({ '200': 5, '429': 20 })).toEqual([HOLDS, HOLDS])
  })

  test('the observed rate limit contradicts the declaration if no request is rejected', () => {
    expect(evaluate({ '200': 25 })).toEqual([BROKEN, HOLDS])
  })

  test('the observed rate limit contradicts the declaration if requests are rejected too early', () => {
    expect(evaluate({ '200': 3, '429': 20 })).toEqual([HOLDS, BROKEN])
    expect(evaluate({ '200': 6, '429': 20 }, [0, 1, 2, 3, 4])).toEqual([HOLDS, BROKEN])
  })

  test('the upper bound of a rate limit is untested if the limit was never reached', () => {
    expect(evaluate({ '200': 4 })).toEqual([UNTESTED, HOLDS])
  })

  test('the rate limit is untested if no request got a response', () => {
    expect(evaluate({ '500': 4 })).toEqual([UNTESTED, UNTESTED])
  })
})
