import { expect, test } from 'vitest'
import { createFinding, summarizeCauses } from './testing/findings.ts'

test('names one cause for a wrong `created` in the results of several operations', () => {
  const wrong = (operation: 'chat' | 'images', path: string) =>
    createFinding(operation, {
      verdict: 'fail',
      code: 'wrong-type',
      params: { path, actualType: 'string', actual: '1' },
    })
  const missing = (operation: 'chat' | 'images', path: string) =>
    createFinding(operation, { verdict: 'fail', code: 'missing-field', params: { path } })
  expect(summarizeCauses([wrong('chat', 'created'), wrong('images', 'created')])).toEqual([
    'Chat completions and image results have a wrong `created`: 2',
  ])
  expect(summarizeCauses([missing('chat', 'created'), missing('images', 'created')])).toEqual([
    'Chat completions and image results lack `created`: 2',
  ])
})
