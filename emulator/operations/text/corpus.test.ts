import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CORPUS_TOKENS, cutText, cutTokens, findSentenceStart } from './corpus.ts'
import { countTokens } from './count-tokens.ts'

const position = fc.integer({ min: -2 * CORPUS_TOKENS, max: 3 * CORPUS_TOKENS })
const length = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 * CORPUS_TOKENS + 50 }))

describe('a text cut from the corpus', () => {
  test('has as many tokens as were asked for, by the count that prices it', () => {
    fc.assert(
      fc.property(position, length, (start, tokens) => {
        expect(countTokens(cutText(start, tokens))).toBe(tokens)
      }),
    )
  })

  test('is its tokens one after the other, none of them empty', () => {
    fc.assert(
      fc.property(position, length, (start, count) => {
        const tokens = cutTokens(start, count)
        expect(tokens).toHaveLength(count)
        expect(tokens.join('')).toBe(cutText(start, count))
        expect(tokens).not.toContain('')
      }),
    )
  })

  test('goes on where the text before it ended', () => {
    fc.assert(
      fc.property(position, length, length, (start, first, second) => {
        expect(cutText(start, first) + cutText(start + first, second)).toBe(cutText(start, first + second))
      }),
    )
  })

  test('wraps around', () => {
    expect(cutText(CORPUS_TOKENS - 3, 6)).toBe(cutText(-3, 3) + cutText(0, 3))
    expect(cutText(5, 40)).toBe(cutText(5 + CORPUS_TOKENS, 40))
  })

  test('differs from one position to another', () => {
    const texts = Array.from({ length: CORPUS_TOKENS }, (_, start) => cutText(start, 12))
    expect(new Set(texts).size).toBe(CORPUS_TOKENS)
  })
})

test('the start of a sentence is the nearest capital at or before a position', () => {
  fc.assert(
    fc.property(position, (token) => {
      const start = findSentenceStart(token)
      expect(start).toBeLessThanOrEqual(token)
      expect(cutText(start, token - start + 1)).toMatch(/^ [A-Z][^A-Z]*$/)
    }),
  )
})

describe('the whole corpus', () => {
  const whole = cutText(0, CORPUS_TOKENS)

  test('has no character that JSON escapes, and ASCII only', () => {
    expect(JSON.stringify(whole)).toBe(`"${whole}"`)
    expect(whole).toMatch(/^[A-Za-z ,.!]+$/)
  })

  test('reads as sentences: a capital first, a mark last, no two marks in a row', () => {
    const sentences = whole.match(/[^.!]+[.!]/g) ?? []
    expect(sentences.join('')).toBe(whole)
    expect(sentences.length).toBeGreaterThan(300)
    for (const sentence of sentences) {
      expect(sentence).toMatch(/^ [A-Z][a-z]*( [a-z]+,?)+[.!]$/)
    }
  })
})
