import { expect, test } from 'vitest'
import { findMissingLine } from './compare-output.ts'

const PRINTED =
  '> npm says something\n\nHTTP/1.1 200 OK\nCONFORMANT  http://127.0.0.1:4711\n318 checks in 1.6 s: 240 pass\n  §1  12 pass\nsk-svc-abcDEF_1\n'

test.each([
  [
    'different numbers, times, keys and widths',
    'CONFORMANT http://127.0.0.1:9\n7 checks in 12 ms: 1 pass\n §1 1 pass\nsk-svc-x',
  ],
  ['lines omitted at a line with an ellipsis', 'HTTP/1.1 200 OK\n…\nsk-svc-x'],
  ['parts of a line omitted at an ellipsis', '318 checks … pass'],
])('accepts %s', (_, shown) => {
  expect(findMissingLine(shown, PRINTED)).toBeUndefined()
})

test.each([
  ['a different status', 'HTTP/1.1 429 OK', 'HTTP/<n> 429 OK'],
  [
    'an omitted line without an ellipsis',
    'HTTP/1.1 200 OK\n318 checks in 1.6 s: 240 pass',
    '<n> checks in <n> s: <n> pass',
  ],
  ['a different order of lines', '§1 12 pass\n…\nHTTP/1.1 200 OK', 'HTTP/<n> 200 OK'],
  ['a missing line after an ellipsis', 'HTTP/1.1 200 OK\n…\nBye', 'Bye'],
])('detects %s', (_, shown, missing) => {
  expect(findMissingLine(shown, PRINTED)).toBe(missing)
})

test('the comparison with a page rejects empty output', () => {
  expect(findMissingLine('CONFORMANT', '')).toBe('CONFORMANT')
})
