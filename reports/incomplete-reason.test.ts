import { expect, test } from 'vitest'
import { describeIncompleteReason } from './conformance-verdict.ts'
import { createCheckEntry, createDocument } from './testing/sample-document.ts'

const keyless = [createCheckEntry('5/a', 'not-testable'), createCheckEntry('5/b', 'not-testable')]
const checks = [createCheckEntry('1/a', 'pass'), createCheckEntry('7/a', 'not-testable'), ...keyless]
const causes = [
  { title: 'The list is empty', checks: ['7/a'] },
  { title: 'No key was given', checks: ['5/a', '5/b'] },
]

test('names the most frequent reason for checks that could not be tested, and the number of other reasons', () => {
  expect(describeIncompleteReason({ ...createDocument({ checks, verdict: 'incomplete' }), causes })).toBe(
    'Incomplete because 2 checks could not be tested: No key was given (and 1 other reason, listed below)',
  )
})

test('omits checks that do not affect the verdict', () => {
  const accepted = checks.map((check) => (check.section === '5' ? { ...check, accepted: 'no account' } : check))
  expect(describeIncompleteReason({ ...createDocument({ checks: accepted, verdict: 'incomplete' }), causes })).toBe(
    'Incomplete because 1 check could not be tested: The list is empty',
  )
})

test.each(['conformant', 'non-conformant', 'harness-error'] as const)(
  'names no reason for the verdict %s',
  (verdict) => {
    expect(describeIncompleteReason({ ...createDocument({ checks, verdict }), causes })).toBeUndefined()
  },
)

test('names budgets without enough samples if all checks were tested', () => {
  const budget = {
    metric: 'chat.ttft',
    statistic: 'p99',
    op: '<=',
    limit: 500,
    unit: 'ms',
    actual: null,
    n: 3,
    needed: 100,
    verdict: 'insufficient samples',
  } as const
  const document = createDocument({ checks: [createCheckEntry('1/a', 'pass')], verdict: 'incomplete' })
  expect(describeIncompleteReason({ ...document, budgets: [budget] })).toBe(
    'Incomplete because of budgets without enough samples: chat.ttft.p99',
  )
})
