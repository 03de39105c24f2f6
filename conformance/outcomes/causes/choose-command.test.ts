import { expect, test } from 'vitest'
import type { Outcome } from '../outcome.ts'
import { findCauses } from './find-causes.ts'
import { createFinding } from './testing/findings.ts'

test('shows the command of the section 7 check for a wrong error status, because its sentence states the status', () => {
  const wrong: Outcome = {
    verdict: 'fail',
    code: 'unexpected-status',
    params: { actualStatus: 422 },
    expected: { status: [400] },
    difference: { parameter: 'model', omitted: true },
  }
  const findings = [
    createFinding('chat', wrong, { section: '4.4', reproduce: 'curl short' }),
    createFinding('chat', wrong, { section: '7', reproduce: 'curl a longer command' }),
  ]
  expect(findCauses(findings)).toMatchObject([{ reproduce: 'curl a longer command' }])
})
