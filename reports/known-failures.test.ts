import { expect, test } from 'vitest'
import { listKnownFailures } from './known-failures.ts'
import { createCheckEntry, createDocument } from './testing/sample-document.ts'

test('lists failures, warnings and the differences that checks show, each with its reason', () => {
  const document = createDocument({
    checks: [
      createCheckEntry('1/pass', 'pass'),
      createCheckEntry('2/fail', 'fail', { actual: 'returned 500' }),
      createCheckEntry('3/warn', 'warn', { knownFailure: 'issue 7' }),
      createCheckEntry('5/no-key', 'declared', { differences: ['authentication'] }),
    ],
  })
  const differences = [{ name: 'authentication', value: 'none', text: 'no keys', why: 'the network is private' }]
  const causes = [{ title: 'Requests get 500', checks: ['2/fail'] }]
  expect(listKnownFailures({ ...document, causes, target: { ...document.target, differences } })).toEqual([
    { id: '2/fail', reason: 'Requests get 500' },
    { id: '3/warn', reason: 'issue 7' },
    { id: 'authentication', reason: 'no keys: the network is private' },
  ])
})
