import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CORPUS_TOKENS, getCorpusText, findSentenceStart } from './corpus.ts'
import { countTokens } from './count-tokens.ts'

const position = fc.integer({ min: -2 * CORPUS_TOKENS, max: 3 * CORPUS_TOKENS })
const length = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 * CORPUS_TOKENS + 50 }))

describe('text from the corpus', () => {
  test('text from the corpus has the requested number of tokens, as counted for pricing', () => {
    fc.assert(
      fc.property(position, length, (start, tokens) => {
        expect(countTokens(getCorpusText(start, tokens))).toBe(tokens)
      }),
    )
  })

  test('text from the corpus consists of its tokens, none of which is empty', () => {
    fc.assert(
      fc.property(position, length, (start, count) => {
        const tokens = Array.from({ length: count }, (_, index) => getCorpusText(start + index, 1))
        expect(tokens).toHaveLength(count)
        expect(tokens.join('')).toBe(getCorpusText(start, count))
        expect(tokens).not.toContain('')
      }),
    )
  })

  test('text from the corpus continues the preceding text', () => {
    fc.assert(
      fc.property(position, length, length, (start, first, second) => {
        expect(getCorpusText(start, first) + getCorpusText(start + first, second)).toBe(
          getCorpusText(start, first + second),
        )
      }),
    )
  })

  test('text continues at the start of the corpus after its end', () => {
    expect(getCorpusText(CORPUS_TOKENS - 3, 6)).toBe(getCorpusText(-3, 3) + getCorpusText(0, 3))
    expect(getCorpusText(5, 40)).toBe(getCorpusText(5 + CORPUS_TOKENS, 40))
  })

  test('text from the corpus differs for each start position', () => {
    const texts = Array.from({ length: CORPUS_TOKENS }, (_, start) => getCorpusText(start, 12))
    expect(new Set(texts).size).toBe(CORPUS_TOKENS)
  })
})

test('finds the start of a sentence at or before a position of the corpus', () => {
  fc.assert(
    fc.property(position, (token) => {
      const start = findSentenceStart(token)
      expect(start).toBeLessThanOrEqual(token)
      expect(getCorpusText(start, token - start + 1)).toMatch(/^ [A-Z][^A-Z]*$/)
    }),
  )
})

describe('the corpus', () => {
  const whole = getCorpusText(0, CORPUS_TOKENS)

  test('the corpus is ASCII without characters that JSON escapes', () => {
    expect(JSON.stringify(whole)).toBe(`"${whole}"`)
    expect(whole).toMatch(/^[A-Za-z ,.!]+$/)
  })

  test('the corpus consists of sentences with an initial capital and one final punctuation mark', () => {
    const sentences = whole.match(/[^.!]+[.!]/g) ?? []
    expect(sentences.join('')).toBe(whole)
    expect(sentences.length).toBeGreaterThan(300)
    for (const sentence of sentences) {
      expect(sentence).toMatch(/^ [A-Z][a-z]*( [a-z]+,?)+[.!]$/)
    }
  })
})
