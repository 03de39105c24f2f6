import { expect, test } from 'vitest'
import type { ProgressResult } from '../../scenarios/lib/extension-result.ts'
import { buildWatchedBudgets, evaluateProgress } from './evaluate-progress.ts'
import { parseBudget } from './parse-budget.ts'

const EMPTY: ProgressResult = {
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

const evaluate = (budgets: readonly string[], progress: Partial<ProgressResult>) =>
  evaluateProgress(budgets.map(parseBudget), { ...EMPTY, ...progress })

test('passes the limits of latencies to the extension, in the order of the budgets', () => {
  const budgets = ['ttft.p99<=800ms', 'failed.rate<=1%', 'images.e2e.max<=5s'].map(parseBudget)
  expect(buildWatchedBudgets(budgets)).toEqual([
    { operation: '', metric: 'ttftMs', limitMs: 800 },
    { operation: 'images', metric: 'e2eMs', limitMs: 5000 },
  ])
})

test.each<[string, { n: number; above: number; sumMs: number }, object]>([
  ['ttft.p90<=1s', { n: 100, above: 10, sumMs: 0 }, { isKept: true, missing: 0, abovePercent: 10 }],
  ['ttft.p90<=1s', { n: 100, above: 11, sumMs: 0 }, { isKept: false, missing: 0, abovePercent: 11 }],
  ['ttft.p99<=1s', { n: 100, above: 0, sumMs: 0 }, { isKept: true, missing: 562, abovePercent: 0 }],
  ['ttft.max<=1s', { n: 100, above: 1, sumMs: 0 }, { isKept: false, missing: 0 }],
  ['ttft.max<=1s', { n: 100, above: 0, sumMs: 0 }, { isKept: true, missing: 0 }],
  ['ttft.mean<=1s', { n: 2, above: 1, sumMs: 2000 }, { isKept: true, missing: 0 }],
  ['ttft.mean<=1s', { n: 2, above: 1, sumMs: 2001 }, { isKept: false, missing: 0 }],
  ['ttft.p50<=1s', { n: 0, above: 0, sumMs: 0 }, { isKept: undefined, missing: 11 }],
])('evaluates %s with the samples %j', (budget, samples, state) => {
  // The second list entry belongs to the third budget, because the second budget is a count.
  const [first, count, last] = evaluate([budget, 'failed.count<=0', budget], { budgets: [samples, samples] })
  expect([first, count?.isKept, last]).toEqual([state, undefined, state])
})

test.each([
  ['failed.rate<=10%', true],
  ['failed.rate<=9%', false],
  ['images.failed.rate<=0%', true],
  ['failed.count<=1', true],
  ['chat-stream.failed.count<=0', false],
  ['rate>=2/s', true],
  ['rate>=3/s', false],
  ['goodput>=1/s', true],
  ['dropped.count<=0', undefined],
])('a budget %s that is met: %s', (budget, isKept) => {
  const chat = { sent: 10, ok: 7, failed: 1, aborted: 1, good: 3 }
  const counts = { 'chat-stream': chat, images: { sent: 2, ok: 2, failed: 0, aborted: 0, good: 1 } }
  expect(evaluate([budget], { atS: 4, counts })).toEqual([{ isKept, missing: 0 }])
})

test.each(['failed.rate<=100%', 'failed.count<=1', 'rate>=0/s', 'goodput>=0/s'])(
  'does not evaluate %s before the first request and the first second',
  (budget) => {
    expect(evaluate([budget], {})).toEqual([{ isKept: undefined, missing: 0 }])
  },
)

test('reports all needed samples as missing if the extension reports no samples', () => {
  expect(evaluate(['ttft.p99<=1s'], {})).toEqual([{ isKept: undefined, missing: 662 }])
})

test('does not evaluate added latency during the run', () => {
  const samples = { n: 5, above: 5, sumMs: 0 }
  expect(evaluate(['added.e2e.max<=1s', 'e2e.max<=1s'], { budgets: [samples] })).toEqual([
    { isKept: undefined, missing: 0 },
    { isKept: false, missing: 0 },
  ])
})
