import { expect, test } from 'vitest'
import type { Outcome } from './outcome.ts'
import { createExcerpt } from './json-excerpt.ts'
import { describeResponse } from './responses.ts'
import { describeOutcome } from './sentences.ts'

test.each<[Outcome, readonly string[], string]>([
  [
    { verdict: 'fail', expected: { status: [400, 404] }, code: 'unexpected-status', params: { actualStatus: 200 } },
    ['400', '404'],
    'returned 200 instead of 400 or 404',
  ],
  [
    {
      verdict: 'fail',
      expected: { status: [400] },
      difference: { parameter: 'temperature', value: 2.1 },
      code: 'unexpected-status',
      params: { actualStatus: 422 },
    },
    ['400'],
    'temperature 2.1: returned 422 instead of 400',
  ],
  [
    {
      verdict: 'fail',
      expected: { status: [400] },
      code: 'no-response',
      params: { actualStatus: 200, error: 'malformed' },
    },
    ['400'],
    'returned 200, then sent a body that does not match its Content-Length or Transfer-Encoding',
  ],
  [
    {
      verdict: 'fail',
      expected: { field: 'data[].url', type: 'string' },
      difference: { variant: 'with n 2' },
      code: 'missing-field',
      params: { path: 'data[1].url' },
    },
    ['data[].url, a string'],
    'with n 2: data[1].url is missing',
  ],
  [
    {
      verdict: 'not-testable',
      expected: { status: [401] },
      code: 'control-request-not-served',
      params: { actualStatus: 429 },
    },
    ['401'],
    'the error response proves nothing, because the control request was not served: the key stayed rate limited (429): use a key with a higher limit, or reduce concurrency',
  ],
  [
    {
      verdict: 'fail',
      expected: { field: 'data', count: 2, orStatus: 400 },
      code: 'wrong-count',
      params: { path: 'data', actualCount: 1 },
    },
    ['2 items in data', '400: the upper bound is not specified'],
    'data has 1 item',
  ],
  [
    {
      verdict: 'observed',
      code: 'observed-response',
      params: { tried: 'max_tokens 0', seen: { kind: 'response', actualStatus: 400 } },
    },
    [],
    'max_tokens 0: returned 400',
  ],
])('renders the texts of the document for %o', (outcome, expected, actual) => {
  expect(describeOutcome(outcome)).toEqual({ expected, actual })
})

test('describes a response by its status, or by the error of its exchange', () => {
  const responses = [
    { actualStatus: 404 },
    { actualStatus: 0, error: 'timeout' },
    { actualStatus: 0, error: 'refused' },
    { actualStatus: 200, error: 'reset' },
  ] as const
  expect(responses.map(describeResponse)).toEqual([
    'returned 404',
    'did not respond in time',
    'refused the connection',
    'returned 200, then closed the connection before the response was complete',
  ])
})

test('returns a short value unchanged, and truncates the JSON text of a long value', () => {
  expect(createExcerpt({ a: [1, null, 'x'] })).toEqual({ a: [1, null, 'x'] })
  expect(createExcerpt(undefined)).toBeNull()
  const long = { text: 'x'.repeat(200) }
  expect(createExcerpt(long)).toEqual({ cut: `${JSON.stringify(long).slice(0, 80)}…` })
  expect(
    describeOutcome({
      verdict: 'fail',
      code: 'wrong-type',
      params: { path: 'data', actualType: 'object', actual: createExcerpt(long) },
    }).actual,
  ).toBe(`data is {"text":"${'x'.repeat(71)}…`)
})
