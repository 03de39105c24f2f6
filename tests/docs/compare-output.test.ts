import { expect, test } from 'vitest'
import { findMissingLine } from './compare-output.ts'

const PRINTED =
  '> npm says something\n\nHTTP/1.1 200 OK\nCONFORMANT  http://127.0.0.1:4711\n318 checks in 1.6 s: 240 pass\n  §1  12 pass\nsk-svc-abcDEF_1\n'

test.each([
  [
    'numbers, times, keys and widths may differ',
    'CONFORMANT http://127.0.0.1:9\n7 checks in 12 ms: 1 pass\n §1 1 pass\nsk-svc-x',
  ],
  ['signs of measured errors may differ', '§1 +12 pass'],
  ['lines are left out where that is said', 'HTTP/1.1 200 OK\n…\nsk-svc-x'],
  ['parts of a line are left out where that is said', '318 checks … pass'],
  ['what follows need not be shown', 'HTTP/1.1 200 OK'],
])('%s', (_, shown) => {
  expect(findMissingLine(shown, PRINTED)).toBeUndefined()
})

test.each([
  ['another word', 'NON-CONFORMANT  http://127.0.0.1:4711', 'NON-CONFORMANT http://<n>:<n>'],
  ['another status', 'HTTP/1.1 429 OK', 'HTTP/<n> 429 OK'],
  ['a line in between', 'HTTP/1.1 200 OK\n318 checks in 1.6 s: 240 pass', '<n> checks in <n> s: <n> pass'],
  ['another order', '§1 12 pass\n…\nHTTP/1.1 200 OK', 'HTTP/<n> 200 OK'],
  ['a line that is not there after a gap', 'HTTP/1.1 200 OK\n…\nBye', 'Bye'],
])('finds a difference: %s', (_, shown, missing) => {
  expect(findMissingLine(shown, PRINTED)).toBe(missing)
})

test('the comparison with a page rejects empty output', () => {
  expect(findMissingLine('CONFORMANT', '')).toBe('CONFORMANT')
})
