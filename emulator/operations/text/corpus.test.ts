import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CORPUS_TOKENS, cutText, cutTokens, findSentenceStart } from './corpus.ts'
import { countTokens } from './count-tokens.ts'

const position = fc.integer({ min: -2 * CORPUS_TOKENS, max: 3 * CORPUS_TOKENS })
const length = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 * CORPUS_TOKENS + 50 }))

describe('text from the corpus', () => {
  test('has the requested number of tokens, as counted for pricing', () => {
    fc.assert(
      fc.property(position, length, (start, tokens) => {
        expect(countTokens(cutText(start, tokens))).toBe(tokens)
      }),
    )
  })

  test('consists of its tokens, none of which is empty', () => {
    fc.assert(
      fc.property(position, length, (start, count) => {
        const tokens = cutTokens(start, count)
        expect(tokens).toHaveLength(count)
        expect(tokens.join('')).toBe(cutText(start, count))
        expect(tokens).not.toContain('')
      }),
    )
  })

  test('continues the text before it', () => {
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

  test('differs from position to position', () => {
    const texts = Array.from({ length: CORPUS_TOKENS }, (_, start) => cutText(start, 12))
    expect(new Set(texts).size).toBe(CORPUS_TOKENS)
  })
})

test('finds the start of a sentence at or before a position', () => {
  fc.assert(
    fc.property(position, (token) => {
      const start = findSentenceStart(token)
      expect(start).toBeLessThanOrEqual(token)
      expect(cutText(start, token - start + 1)).toMatch(/^ [A-Z][^A-Z]*$/)
    }),
  )
})

describe('the corpus', () => {
  const whole = cutText(0, CORPUS_TOKENS)

  test('is ASCII without characters that JSON escapes', () => {
    expect(JSON.stringify(whole)).toBe(`"${whole}"`)
    expect(whole).toMatch(/^[A-Za-z ,.!]+$/)
  })

  test('consists of sentences with a capital at the start and one mark at the end', () => {
    const sentences = whole.match(/[^.!]+[.!]/g) ?? []
    expect(sentences.join('')).toBe(whole)
    expect(sentences.length).toBeGreaterThan(300)
    for (const sentence of sentences) {
      expect(sentence).toMatch(/^ [A-Z][a-z]*( [a-z]+,?)+[.!]$/)
    }
  })
})
