import { expect, test } from 'vitest'
import { readTrace } from './read-trace.ts'

const LINE = '{"atMs": 10, "promptTokens": 1, "outputTokens": 1}'

test.each([
  ['no JSON', `${LINE}\nhello`, "The trace's line 2 has no atMs from 0 to 2678400000"],
  ['a list', '[1]', "The trace's line 1 has no atMs"],
  ['null', 'null', "The trace's line 1 has no atMs"],
  ['a time before the beginning', '{"atMs": -1, "promptTokens": 1, "outputTokens": 1}', 'line 1 has no atMs'],
  ['a text for a number', '{"atMs": 1, "promptTokens": "1", "outputTokens": 1}', 'line 1 has no promptTokens'],
  [
    'no answer asked for',
    '{"atMs": 1, "promptTokens": 1, "outputTokens": 0}',
    'line 1 has no outputTokens from 1 to 10000000',
  ],
  ['a prompt that nobody holds', '{"atMs": 1, "promptTokens": 1e12, "outputTokens": 1}', 'line 1 has no promptTokens'],
  ['a day that is far away', '{"atMs": 1e15, "promptTokens": 1, "outputTokens": 1}', 'line 1 has no atMs'],
  [
    'a step back',
    `${LINE}\n{"atMs": 9, "promptTokens": 1, "outputTokens": 1}`,
    'line 2 is earlier than the previous line',
  ],
  ['nothing', '\n\n', 'The trace has no lines'],
])('rejects a trace with %s in one sentence that names the line', (_, text, sentence) => {
  expect(() => readTrace(text)).toThrow(sentence)
})

test('accepts a trace with a byte order mark and either kind of line end', () => {
  expect(readTrace(`\uFEFF${LINE}\r\n${LINE}\r\n`).atMs).toEqual([10, 10])
})

test('accepts a trace with two requests at the same time', () => {
  expect(readTrace(`${LINE}\n${LINE}`).atMs).toEqual([10, 10])
})
