import { expect, test } from 'vitest'
import { parseKnownFailures } from './parse-known-failures.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'

const ENTRIES = [
  { id: '4.2/temperature-above', reason: 'the gateway clamps it' },
  { id: '7/retry-after', reason: 'comes with the next release' },
]

test.each([
  ['an array', JSON.stringify(ENTRIES)],
  [
    'lines of text',
    '# ours\n\n4.2/temperature-above the gateway clamps it\r\n7/retry-after\tcomes with the next release # soon\n',
  ],
])('parses known failures from %s', (_name, text) => {
  expect(parseKnownFailures(text, 'known')).toEqual(ENTRIES)
})

test.each([
  ['an object instead of an array', '{}', 'known: known failures must be an array'],
  ['an entry without a reason', '[{"id":"5/x"}]', 'known: entry 1 must have an "id" and a "reason"'],
  ['an entry with an unknown member', '[{"id":"5/x","reason":"y","until":"z"}]', 'known: entry 1 must have'],
  ['bare ids', '["5/x"]', 'known: entry 1 must have'],
  ['a truncated array', '[{"id"', 'known: this is not valid JSON'],
  ['a line without a reason', '# x\n5/x # y', 'known: line 2 gives no reason'],
])('rejects a list of known failures with %s', (_name, text, sentence) => {
  expect(() => parseKnownFailures(text, 'known')).toThrow(InvalidOptionError)
  expect(() => parseKnownFailures(text, 'known')).toThrow(sentence)
})
