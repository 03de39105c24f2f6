import { expect, test } from 'vitest'
import { wrapHelp, wrapReport } from './wrap-text.ts'

const SENTENCE = 'The target violates the specification in three of its checks.'

test('wraps a sentence between words, and keeps its indentation', () => {
  expect(wrapReport(`${SENTENCE}\n  ${SENTENCE}`, 40)).toBe(
    [
      'The target violates the specification in',
      'three of its checks.',
      '  The target violates the specification',
      '    in three of its checks.',
    ].join('\n'),
  )
})

test('aligns the continued text of a line with a label', () => {
  expect(wrapReport(`  sentence   ${SENTENCE}`, 40)).toBe(
    ['  sentence   The target violates the', '             specification in three of', '             its checks.'].join(
      '\n',
    ),
  )
})

test('does not count colour codes as width', () => {
  const bold = '\u001b[1mINCOMPLETE\u001b[0m  nothing was tested'
  expect(wrapReport(bold, 32)).toBe(bold)
})

test.each([
  ['a row of a table', '  chat-stream ttft        240   39.1   87.1  114.9  163.0  235.2'],
  ['a curl command', `    see it   curl -sS -i 'http://127.0.0.1:8080/v1/models' -H 'accept: */*'`],
])('keeps %s whole', (_name, line) => {
  expect(wrapReport(line, 40)).toBe(line)
})

test('keeps the lines of a report that is not printed to a terminal', () => {
  expect(wrapReport(SENTENCE.repeat(3), undefined)).toBe(SENTENCE.repeat(3))
})

test('continues a command of the help after a backslash', () => {
  expect(wrapHelp('  npm run load -- --target gateway.json --rate 20 --duration 30s', 44)).toBe(
    ['  npm run load -- --target gateway.json \\', '    --rate 20 --duration 30s'].join('\n'),
  )
})

test('aligns the continued description of a name in the help', () => {
  expect(wrapHelp('  smoke       24 requests, 2 at a time: does it work?', 40)).toBe(
    ['  smoke       24 requests, 2 at a time:', '              does it work?'].join('\n'),
  )
})
