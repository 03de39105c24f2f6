import { expect, test } from 'vitest'
import { parseTrace } from './parse-trace.ts'

const LINE = '{"atMs": 10, "promptTokens": 1, "outputTokens": 1}'

test.each([
  ['a line that is not JSON', `${LINE}\nhello`, "The trace's line 2 has no atMs from 0 to 2678400000"],
  [
    'outputTokens of 0',
    '{"atMs": 1, "promptTokens": 1, "outputTokens": 0}',
    'line 1 has no outputTokens from 1 to 10000000',
  ],
  [
    'times that are not ascending',
    `${LINE}\n{"atMs": 9, "promptTokens": 1, "outputTokens": 1}`,
    'line 2 is earlier than the previous line',
  ],
  ['only empty lines', '\n\n', 'The trace has no lines'],
])('rejects a trace with %s in one sentence that names the line', (_, text, sentence) => {
  expect(() => parseTrace(text)).toThrow(sentence)
})

test('accepts a trace with a byte order mark and either kind of line ending', () => {
  expect(parseTrace(`\uFEFF${LINE}\r\n${LINE}\r\n`).atMs).toEqual([10, 10])
})

test('accepts a trace with two requests at the same time', () => {
  expect(parseTrace(`${LINE}\n${LINE}`).atMs).toEqual([10, 10])
})
