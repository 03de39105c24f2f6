import { expect, test } from 'vitest'
import type { LoadSearch } from '../../reports/load-parts-document.ts'
import { describeFinding } from '../findings/finding.ts'
import { describeEnd } from './describe-search.ts'

const UNIT = 'requests per second'

/** Describes a search that ended between 10 and 20 requests per second, with or without runs at 15. */
function describe(end: LoadSearch['end'], levels: readonly number[]): string {
  const steps = levels.map((level) => ({
    level,
    outcome: 'uncertain' as const,
    runs: 1,
    sent: 50,
    failed: 0,
    byStatus: {},
    byError: {},
    okPerSecond: level,
    goodPerSecond: level,
    inFlight: 5,
    ttft: null,
    e2e: null,
    budgets: [],
  }))
  const search = { capacity: { from: 10, to: 20, unit: UNIT }, end, steps, resolutionPercent: 5 } as const
  return describeFinding(describeEnd(search, ['ttft.p99 <= 300 ms']), (option) => `<${option}>`)
}

const RANGE =
  'The capacity is between 10 and 20 requests per second: holds 10 requests per second (5 parallel streams) at ttft.p99 <= 300 ms. Two runs above 10 and up to 20 requests per second exceeded a budget.'

test.each([
  ['max-duration', [10, 20], ' The search reached its time limit (<maxDurationS>).'],
  ['spend-limit', [10, 15, 20], ' The next run could exceed the spend limit (<maxCredits>).'],
  ['generator', [10, 20], ' The load generator reached its own limit: '],
  ['uncertain', [10, 15, 20], ' The runs between these levels were inconclusive.'],
] as const)('explains a wide range by the end %s of the search', (end, levels, reason) => {
  expect(describe(end, levels)).toContain(`${RANGE}${reason}`)
})

test('mentions no runs between the levels of a wide range if there are none', () => {
  expect(describe('uncertain', [10, 20])).toBe(RANGE)
})
