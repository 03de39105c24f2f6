import { expect, test } from 'vitest'
import { buildThresholds } from './k6-thresholds.ts'
import { parseBudget } from './parse-budget.ts'

test('adds a threshold on the counter of each trend', () => {
  const budgets = [
    'ttft.p99<=800ms',
    'ttft.mean<=1s',
    'images.e2e.max<=5s',
    'failed.rate<=1%',
    'rate>=50/s',
    'speech.goodput>=2/s',
    'e2e.p95<=2s',
    'e2e.p95<=2s',
    'dropped.count<=0',
    // k6 does not know the upstream's times.
    'added.ttft.p99<=20ms',
  ]
  expect(buildThresholds(budgets.map(parseBudget))).toEqual({
    'ttft{operation:chat-stream}': ['p(99)<=800', 'avg<=1000'],
    'ttft_count{operation:chat-stream}': ['count>0'],
    'e2e{operation:images}': ['max<=5000'],
    'e2e_count{operation:images}': ['count>0'],
    http_req_failed: ['rate<=0.01'],
    http_reqs: ['rate>=50'],
    'good{operation:speech}': ['rate>=2'],
    e2e: ['p(95)<=2000'],
    e2e_count: ['count>0'],
  })
})
