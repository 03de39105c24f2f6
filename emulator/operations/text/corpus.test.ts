import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getCorpus, selectCorpus, type CorpusName } from './corpus.ts'
import { countTokens } from './count-tokens.ts'

const NAMES: readonly CorpusName[] = ['natural', 'spoken', 'ascii', 'Chinese', 'Japanese', 'Hindi', 'Arabic', 'emoji']
const position = fc.integer({ min: -20_000, max: 30_000 })
const length = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 20_000 }))

describe.each(NAMES)('the corpus %s', (name) => {
  const corpus = getCorpus(name)

  test('returns text with the requested number of tokens, as counted for pricing', () => {
    fc.assert(
      fc.property(position, length, (start, tokens) => {
        expect(countTokens(corpus.getText(start, tokens))).toBe(tokens)
      }),
    )
  })

  test('returns passages with the requested number of tokens, without a space at the start', () => {
    fc.assert(
      fc.property(position, length, (start, tokens) => {
        const passage = corpus.getPassage(start, tokens)
        expect(countTokens(passage)).toBe(tokens)
        expect(passage).not.toMatch(/^\s/)
      }),
    )
  })

  test('returns the same text with the escape sequences of JSON, in UTF-8', () => {
    fc.assert(
      fc.property(position, length, (start, tokens) => {
        const escaped = Buffer.from(`"${corpus.getEscapedText(start, tokens)}"`, 'latin1').toString()
        expect(escaped).toBe(JSON.stringify(corpus.getText(start, tokens)))
      }),
    )
  })

  test('consists of non-empty tokens that are whole code points', () => {
    fc.assert(
      fc.property(position, fc.integer({ min: 0, max: 300 }), (start, count) => {
        const tokens = Array.from({ length: count }, (_, index) => corpus.getToken(start + index))
        expect(tokens.join('')).toBe(corpus.getText(start, count))
        expect(tokens).not.toContain('')
        expect(tokens.every((token) => token.isWellFormed())).toBe(true)
      }),
    )
  })

  test('continues the preceding text, and repeats after its end', () => {
    fc.assert(
      fc.property(position, length, length, (start, first, second) => {
        expect(corpus.getText(start, first) + corpus.getText(start + first, second)).toBe(
          corpus.getText(start, first + second),
        )
        expect(corpus.getText(start + corpus.tokenCount, first)).toBe(corpus.getText(start, first))
      }),
    )
  })
})

test('the natural corpus has every script, and characters that are difficult for JSON, UTF-8 and graphemes', () => {
  const text = getCorpus('natural').getText(0, getCorpus('natural').tokenCount)
  const difficult = [
    /[一-鿿]/,
    /[ぁ-ヿ]/,
    /[ऀ-ॿ]/,
    /[؀-ۿ]/,
    /\u{200d}/u,
    /[\u{1f3fb}-\u{1f3ff}]/u,
    /[“”’—…é]/,
    /```python\n/,
    /\*\*Open\*\*/,
    /\\/,
    /"/,
    /\n\n/,
  ]
  for (const pattern of difficult) expect(text).toMatch(pattern)
})

test('every passage of 40 tokens of the natural corpus has a character outside ASCII', () => {
  const corpus = getCorpus('natural')
  for (let start = 0; start < corpus.tokenCount; start += 1) {
    expect(corpus.getPassage(start, 40)).toMatch(/[^\0-\x7f]/)
  }
})

test('the spoken corpus has no line breaks', () => {
  expect(getCorpus('spoken').getText(0, getCorpus('spoken').tokenCount)).not.toMatch(/[\r\n]/)
})

test('a token of the natural corpus can end inside a grapheme', () => {
  const { tokenCount } = getCorpus('natural')
  const tokens = Array.from({ length: tokenCount }, (_, index) => getCorpus('natural').getToken(index))
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  const text = tokens.join('')
  const starts = new Set([...segmenter.segment(text)].map(({ index }) => index))
  let end = 0
  const inside = tokens.filter((token) => !starts.has((end += token.length)) && end < text.length)
  expect(inside.length).toBeGreaterThan(10)
})

test('the ASCII corpus consists of sentences without characters that JSON escapes', () => {
  const text = getCorpus('ascii').getText(0, getCorpus('ascii').tokenCount)
  expect(JSON.stringify(text)).toBe(`"${text}"`)
  for (const sentence of text.match(/[^.!]+[.!]/g) ?? []) expect(sentence).toMatch(/^ [A-Z][a-z]*( [a-z]+,?)+[.!]$/)
})

test.each([
  ['natural', 'Write one sentence.', 'natural'],
  ['natural', 'Write one sentence in Japanese.', 'Japanese'],
  ['natural', '日本語で一文を書いてください。', 'Japanese'],
  ['natural', '请用中文写一句话。', 'Chinese'],
  ['natural', 'एक वाक्य लिखिए।', 'Hindi'],
  ['natural', 'اكتب جملة واحدة.', 'Arabic'],
  ['natural', 'Answer with an emoji, please', 'emoji'],
  ['natural', '👍🏽', 'emoji'],
  ['natural', 'Count to ten in English words.', 'English'],
  ['natural', 'Translate this English sentence into Hindi.', 'Hindi'],
  ['ascii', 'Write one sentence in Japanese.', 'ascii'],
] as const)('with text=%s, selects for the message %j the corpus %s', (kind, message, name) => {
  expect(selectCorpus(kind, message)).toBe(name)
})
