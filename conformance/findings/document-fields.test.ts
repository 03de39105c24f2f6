import { expect, test } from 'vitest'
import { SecretMask } from '../evidence/secrets.ts'
import { buildDocumentFields } from './document-fields.ts'
import { formatLibraryOption } from '../options/table-options.ts'
import { createExcerpt } from './json-excerpt.ts'

const KEY = 'sk-svc-0123456789abcdef'
const MASK = new SecretMask([{ value: KEY }])

test('places operation, expectation and difference before the parameters of the code', () => {
  const fields = buildDocumentFields(
    {
      verdict: 'fail',
      expected: { status: [400] },
      difference: { parameter: 'temperature', value: 2.1 },
      code: 'unexpected-status',
      params: { actualStatus: 422 },
    },
    'chat',
    { mask: MASK, nameOption: formatLibraryOption },
  )
  expect(fields).toEqual({
    verdict: 'fail',
    code: 'unexpected-status',
    params: {
      operation: 'chat',
      expected: { status: [400] },
      difference: { parameter: 'temperature', value: 2.1 },
      actualStatus: 422,
    },
    expected: ['400'],
    actual: 'temperature 2.1: returned 422 instead of 400',
  })
})

test.each([
  ['a key', { message: `The key ${KEY} is unknown.` }],
  ['the start of a key where a long value is cut', `${'x'.repeat(60)} ${KEY} is unknown.`],
])('masks %s in params and texts', (_name, value) => {
  const params = { path: 'error', actualType: 'object', actual: createExcerpt(value) }
  const fields = buildDocumentFields({ verdict: 'warn', code: 'wrong-type', params }, 'chat', {
    mask: MASK,
    nameOption: formatLibraryOption,
  })
  expect(JSON.stringify(params)).toContain(KEY.slice(0, 15))
  expect(JSON.stringify(fields)).not.toContain(KEY.slice(0, 15))
})
