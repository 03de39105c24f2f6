import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeJsonPrintable, makePrintable, makePrintableLine } from './printable-text.ts'
import { findRunnerCommands, hostileTexts } from './testing/runner-commands.ts'

const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

test('printed text neither controls a terminal nor starts a command of a CI runner', () => {
  fc.assert(
    fc.property(fc.oneof(hostileTexts, fc.string({ unit: 'binary' })), hostileTexts, (text, other) => {
      const lines = makePrintable(text).replaceAll('\t', ' ')
      const line = `${makePrintableLine(text)}:${makePrintableLine(other)}`
      for (const printed of [lines, `  ${lines}\n${makePrintable(other).replaceAll('\t', ' ')}`, line, `  ${line}`]) {
        expect(findRunnerCommands(printed)).toEqual([])
        expect(printed).not.toMatch(UNSAFE)
      }
      expect(line).not.toContain('\n')
    }),
  )
})

test('printed JSON starts no command of a CI runner, and has the same value', () => {
  fc.assert(
    fc.property(hostileTexts, hostileTexts, (name, text) => {
      const value = { [name]: [text] }
      const printed = makeJsonPrintable(JSON.stringify(value, undefined, 2))
      expect(findRunnerCommands(printed)).toEqual([])
      expect(printed).not.toMatch(UNSAFE)
      expect(JSON.parse(printed)).toEqual(value)
    }),
  )
})

test.each([
  ['##[add-mask]x', String.raw`\u{23}#[add-mask]x`],
  ['  ::error::x', String.raw`  \u{3a}:error::x`],
  ['a\n::error::x', `a\n${String.raw`\u{3a}:error::x`}`],
  [':', String.raw`\u{3a}`],
  ['a\u202eb\ud800', String.raw`a\u{202e}b\u{d800}`],
])('replaces the unsafe characters of %j', (text, printed) => {
  expect(makePrintable(text)).toBe(printed)
})

test.each([
  '## Heading\n### Part [1]',
  'http://[::1]:8080/v1',
  'std::vector, a: b',
  '{"a":"b"}',
  'Grüße, 世界!\t🌍',
  '',
])('keeps the ordinary text %j', (text) => {
  expect(makePrintable(text)).toBe(text)
})
