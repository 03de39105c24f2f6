import { expect, test } from 'vitest'
import { findCauses } from './find-causes.ts'
import { createFinding } from './testing/findings.ts'

test('shows the command of the check that an operation is offered, although other commands are shorter', () => {
  const rejected = (id: string, reproduce: string) => {
    const params = { actualStatus: 404 }
    const one = createFinding('chat', {
      verdict: 'fail',
      code: 'unexpected-status',
      params,
      expected: { status: ['2xx'] },
    })
    return { ...one, entry: { ...one.entry, id, reproduce } }
  }
  const findings = [
    rejected('1/chat-offered', 'curl a chat'),
    rejected('2.3/role-user', 'curl'),
    rejected('4.2/temperature-lowest', 'curl'),
  ]
  expect(findCauses(findings)).toMatchObject([{ reproduce: 'curl a chat' }])
})
