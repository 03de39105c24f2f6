import { expect, test } from 'vitest'
import type { ProgressResult } from '../../scenarios/lib/extension-result.ts'
import { parseBudget } from '../verdict/parse-budget.ts'
import { detectBroken } from './detect-broken.ts'

const BUDGETS = ['ttft.p50<=1s', 'itl.mean<=20ms', 'e2e.p99<=2s', 'failed.rate<=1%'].map(parseBudget)

const NOTHING: ProgressResult = {
  atS: 0,
  sent: 0,
  ok: 0,
  failed: 0,
  inFlight: 0,
  ratePerS: 0,
  ttftP50Ms: null,
  ttftP99Ms: null,
  tokens: {},
}

/** Counts of the latency budgets as `[samples, samples above the limit]`, and numbers of ok and failed requests. */
const isBroken = (latencies: readonly (readonly [number, number])[], [ok, failed]: readonly [number, number]) =>
  detectBroken(BUDGETS, {
    ...NOTHING,
    budgets: latencies.map(([n, above]) => ({ n, above, sumMs: 0 })),
    counts: { 'chat-stream': { sent: ok + failed, ok, failed, aborted: 0, good: ok } },
  })

test('detects a broken percentile or rate of failures from few responses', () => {
  expect(
    isBroken(
      [
        [20, 2],
        [900, 900],
        [20, 2],
      ],
      [20, 2],
    ),
  ).toBe(false)
  expect(
    isBroken(
      [
        [20, 18],
        [900, 0],
        [20, 0],
      ],
      [20, 0],
    ),
  ).toBe(true)
  expect(
    isBroken(
      [
        [20, 0],
        [900, 0],
        [20, 5],
      ],
      [20, 0],
    ),
  ).toBe(true)
  expect(
    isBroken(
      [
        [20, 0],
        [900, 0],
        [20, 0],
      ],
      [20, 5],
    ),
  ).toBe(true)
})

test('detects nothing before the first response', () => {
  expect(detectBroken(BUDGETS, NOTHING)).toBe(false)
})
