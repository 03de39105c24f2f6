import { expect, test } from 'vitest'
import type { BudgetEntry } from '../conformance-document.ts'
import { createCheckEntry, createDocument } from '../testing/sample-document.ts'
import { renderConformance } from './render-conformance.ts'

const options = { hasColor: false, exitCode: 1 }

const BUDGET: BudgetEntry = {
  metric: 'chat-stream.ttft',
  statistic: 'p90',
  op: '<=',
  limit: 800,
  unit: 'ms',
  actual: 912.5,
  n: 64,
  needed: 64,
  verdict: 'broken',
}

test('shows known failures and accepted gaps with their reasons, and counts them in the headline', () => {
  const text = renderConformance(
    createDocument({
      verdict: 'conformant',
      checks: [
        createCheckEntry('4.2/a', 'fail', { knownFailure: 'comes with the next release', actual: 'returned 200' }),
        createCheckEntry('4.2/b', 'not-testable', { accepted: 'no such key here', actual: 'No key was given' }),
        createCheckEntry('4.2/c', 'fail', { actual: 'returned 201' }),
      ],
    }),
    options,
  )
  expect(text).toContain('CONFORMANT (1 known failure; 1 accepted as not testable)')
  expect(text).toContain('Known failures (1)\n  4.2/a: comes with the next release (returned 200)')
  expect(text).toContain('Accepted as not testable (1)\n  4.2/b: no such key here (No key was given)')
  expect(text).toContain('\nCauses of the failures (1)\n')
  expect(text).not.toContain('\nNot testable')
})

test('shows a line for each budget, and the remarks that affect the verdict', () => {
  const text = renderConformance(
    {
      ...createDocument({ checks: [createCheckEntry('1/a', 'pass')] }),
      budgets: [
        BUDGET,
        { ...BUDGET, limit: 1000, verdict: 'within' },
        { ...BUDGET, actual: null, n: 0, verdict: 'insufficient samples' },
      ],
      remarks: ['The budget x is broken.', '9/x is listed\u001b[31m'],
      remarkFindings: [
        { code: 'budget-broken', params: {} },
        { code: 'known-failures-repaired', params: { ids: ['9/x'] } },
      ],
    },
    options,
  )
  expect(text).toContain('NON-CONFORMANT (1 known failure repaired; 1 budget broken)')
  expect(text).toContain('\n  broken  chat-stream.ttft.p90 <= 800 ms: 912.5 ms over 64 samples\n')
  expect(text).toContain('\n  within  chat-stream.ttft.p90 <= 1000 ms: 912.5 ms over 64 samples\n')
  expect(text).toContain('<= 800 ms: nothing measured (p90 needs 64: see --samples)\n')
  expect(text).toContain('\n9/x is listed\\u{1b}[31m\n')
  expect(text.match(/The budget/g)).toBeNull()
})
