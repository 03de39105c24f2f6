import { expect, test } from 'vitest'
import { formatBudget, parseBudget, getMinSamples } from './parse-budget.ts'

test.each([
  ['ttft.p99<=800ms', 662],
  ['start_lag.mean<=5ms', 1],
  ['added.itl.p50<=5ms', 11],
  ['failed.rate<=1%', 1],
  ['rate>=50/s', 1],
  ['speech.goodput>=2.5/s', 1],
])('formats %s as it was parsed, with %d needed samples', (text, needed) => {
  expect(formatBudget(parseBudget(text))).toBe(text)
  expect(getMinSamples(parseBudget(text))).toBe(needed)
})
