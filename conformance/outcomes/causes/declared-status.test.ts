import { expect, test } from 'vitest'
import type { CheckFinding } from './finding.ts'
import { createFinding, summarizeCauses } from './testing/findings.ts'

const validation = createFinding('chat', {
  verdict: 'fail',
  code: 'unexpected-status',
  params: { actualStatus: 422 },
  expected: { status: [400] },
  difference: { parameter: 'model', omitted: true },
})

function otherThanDeclared(declared: string): CheckFinding {
  return createFinding(
    'chat',
    {
      verdict: 'fail',
      code: 'observed-response',
      params: { tried: 'an empty messages array', seen: { kind: 'response', actualStatus: 422 } },
      expected: { declared },
    },
    { declared, actual: 'an empty messages array: returned 422' },
  )
}

test('counts a declared 400 that is now another status as a validation error', () => {
  expect(summarizeCauses([validation, otherThanDeclared('400'), validation])).toEqual([
    'Validation errors get 422 instead of 400: 3',
  ])
})

test('names a declared status on its own if validation errors get 400', () => {
  expect(summarizeCauses([otherThanDeclared('400')])).toEqual([
    'The response is not as declared for this target: 400; an empty messages array: returned 422: 1',
  ])
  expect(summarizeCauses([validation, otherThanDeclared('accepted')])).toHaveLength(2)
})
