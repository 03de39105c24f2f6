import { expect, test } from 'vitest'
import { updateKnownFailures } from './known-failures.ts'
import { createCheckEntry, createDocument } from './testing/sample-document.ts'

const DIFFERENCE = { name: 'authentication', value: 'none', text: 'no keys', why: 'the network is private' }

test('adds failures, warnings and seen differences, removes what was repaired, and keeps the other entries', () => {
  const document = createDocument({
    checks: [
      createCheckEntry('1/pass', 'pass'),
      createCheckEntry('2/fail', 'fail', { actual: 'returned 500' }),
      createCheckEntry('2/warn', 'warn', { actual: 'no header' }),
      createCheckEntry('3/warn', 'warn', { knownFailure: 'ticket 7' }),
      createCheckEntry('5/no-key', 'declared', { differences: ['authentication'] }),
    ],
  })
  const causes = [{ title: 'Requests get 500', checks: ['2/fail'] }]
  const target = { ...document.target, differences: [DIFFERENCE] }
  const before = [
    { id: '3', reason: 'ticket 7' },
    { id: '1/pass', reason: 'ticket 8' },
    { id: '4.5/not-run', reason: 'ticket 9' },
  ]
  const remarkFindings = [{ code: 'known-failures-repaired', params: { ids: ['1/pass'] } }]
  const after = updateKnownFailures({ ...document, causes, target, remarkFindings }, before)
  expect(after).toEqual([
    { id: '3', reason: 'ticket 7' },
    { id: '4.5/not-run', reason: 'ticket 9' },
    { id: '2/fail', reason: 'Requests get 500' },
    { id: '2/warn', reason: 'no header' },
    { id: 'authentication', reason: 'no keys: the network is private' },
  ])
  const excused = document.checks.map((check) => ({ ...check, knownFailure: 'known' }))
  expect(updateKnownFailures({ ...document, checks: excused, target }, after)).toEqual(after)
})
