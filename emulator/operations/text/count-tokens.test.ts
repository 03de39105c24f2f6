import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextArbitrary } from '../../tests/support/any-text.ts'
import { countTokens, splitTokens } from './count-tokens.ts'

const texts: [text: string, tokens: number, why: string][] = [
  ['', 0, 'empty text'],
  [' ', 1, 'other text has at least one'],
  ['Hello', 1, 'a word'],
  [' Hello', 1, 'a word with the space before it'],
  ['Hello, world!', 4, 'words and punctuation marks'],
  ['Hello  world', 3, 'consecutive spaces before a word count once'],
  ['a        b', 3, 'any number of consecutive spaces'],
  ['two\nlines', 3, 'a line feed'],
  ['eightlet', 1, 'a word of eight letters'],
  ['nineletter', 2, 'a word of ten letters'],
  ['internationalization', 3, 'a long word'],
  ['naïve', 1, 'a letter with a diacritic'],
  ['привет', 2, 'another alphabet'],
  ['漢字', 2, 'ideographs'],
  ['👍👍🏽', 3, 'emoji, of which one has a modifier'],
  ['gpt-4o: 12.5%', 8, 'digits and symbols'],
]

test.each(texts)('counts the tokens of %j as %i: %s', (text, tokens) => {
  expect(countTokens(text)).toBe(tokens)
})

test('counts from one token to one token per UTF-16 code unit', () => {
  fc.assert(
    fc.property(createTextArbitrary({ minLength: 1 }), (text) => {
      const tokens = countTokens(text)
      expect(tokens >= 1 && tokens <= text.length).toBe(true)
    }),
  )
})

test('never counts fewer tokens for a longer text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (first, second) => {
      expect(countTokens(first + second)).toBeGreaterThanOrEqual(countTokens(first))
      expect(countTokens(first + second)).toBeLessThanOrEqual(countTokens(first) + countTokens(second) + 1)
    }),
  )
})

test('splits a text into as many non-empty tokens as it counts', () => {
  const someText = fc.oneof(
    createTextArbitrary(),
    fc.string({ unit: fc.constantFrom(' ', 'a', 'longword', '!', '\n', 'é', '漢', '👍') }),
  )
  fc.assert(
    fc.property(someText, (text) => {
      const tokens = splitTokens(text)
      expect(tokens.join('')).toBe(text)
      expect(tokens).toHaveLength(countTokens(text))
      expect(tokens).not.toContain('')
    }),
  )
  expect(splitTokens(' Hello, my  world! ')).toEqual([' Hello', ',', ' my', ' ', ' world', '! '])
})
