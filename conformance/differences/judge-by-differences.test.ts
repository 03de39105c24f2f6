import { expect, test } from 'vitest'
import { findCauses } from '../findings/causes.ts'
import type { Outcome } from '../findings/outcome.ts'
import { buildDocumentFields } from '../findings/document-fields.ts'
import { SecretMask } from '../evidence/secrets.ts'
import { formatLibraryOption } from '../options/table-options.ts'
import { listDeclaredDifferences } from './declared-differences.ts'
import { judgeByDifferences } from './judge-by-differences.ts'

const EXCEEDED: Outcome = {
  verdict: 'fail',
  code: 'bound-exceeded',
  params: { path: 'usage.completion_tokens', actual: 2048, isDefault: true },
  expected: { field: 'usage.completion_tokens', atMost: 256 },
}

function judge(value: number | 'none'): Outcome {
  return judgeByDifferences(EXCEEDED, 'chat', listDeclaredDifferences({ maxTokensDefault: { value, why: 'a test' } }))
}

test('a completion within the declared default of max_tokens is as declared', () => {
  expect(judge(4096)).toMatchObject({ verdict: 'declared', differences: ['maxTokensDefault'] })
  expect(judge('none').verdict).toBe('declared')
})

test('a completion above the declared default of max_tokens fails, with the declared number in the title', () => {
  const outcome = judge(1024)
  expect(outcome).toMatchObject({ verdict: 'fail', expected: { atMost: 1024 } })
  const fields = buildDocumentFields(outcome, 'chat', { mask: new SecretMask([]), nameOption: formatLibraryOption })
  const identity = { id: '8/max-tokens-default', requirement: '8', section: '8', level: 'stated', title: 'x' } as const
  const [cause] = findCauses([{ entry: { ...identity, ...fields, durationMs: 0 }, operation: 'chat', outcome }])
  expect(cause?.title).toContain('more tokens than the default of 1024 tokens allows')
})

test.each([
  ['unknownModels', 'status-not-seen', undefined],
  ['unknownModels', 'error-not-provoked', ['unknownModels']],
  ['unknownEndpoints', 'status-not-seen', ['unknownEndpoints']],
  ['unknownEndpoints', 'error-not-provoked', undefined],
] as const)('a missing 404 is excused only by the difference of its requests: %s, %s', (name, code, differences) => {
  const missing = { verdict: 'not-testable', code, params: { status: 404, actualStatus: 200 } } as Outcome
  const declared = listDeclaredDifferences({ [name]: { value: 400, why: 'a test' } })
  expect(judgeByDifferences(missing, 'chat', declared).differences).toEqual(differences)
})

test('a parameter can differ for one operation', () => {
  const difference = { parameter: 'temperature', value: 1 } as const
  const params = { actualStatus: 400 }
  const rejected: Outcome = {
    verdict: 'fail',
    code: 'unexpected-status',
    params,
    difference,
    expected: { status: ['2xx'] },
  }
  const declared = listDeclaredDifferences({
    parameters: { value: { 'chat.temperature': 'rejected' }, why: 'a test' },
  })
  expect(judgeByDifferences(rejected, 'chat', declared).verdict).toBe('declared')
  expect(judgeByDifferences(rejected, 'images', declared).verdict).toBe('fail')
})
