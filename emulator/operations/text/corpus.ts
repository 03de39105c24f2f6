import { toByteString } from '../../../common/byte-string.ts'
import { createMulberry32, type RandomFunction } from '../../state/seeded-random.ts'
import { createAsciiSentence } from './ascii-sentences.ts'
import { splitTokens } from './count-tokens.ts'
import { LANGUAGES, createNaturalSentence, createSpokenSentence, type Language } from './natural-sentences.ts'

/**
 * Name of a text source. `natural` mixes scripts, Markdown and code. `spoken` mixes scripts, without line breaks. `ascii`
 * consists of English-like sentences without characters that JSON escapes.
 */
export type CorpusName = 'natural' | 'spoken' | 'ascii' | Language

const MIN_TOKENS = 8192

/** Seed of every corpus. It is constant, so that a corpus is the same in every process. */
const CORPUS_SEED = 20_240_607

/**
 * An endless text that repeats. Adjacent passages concatenate: `getText(s, m) + getText(s + m, n) === getText(s, m + n)`.
 * {@link countTokens} counts the same number of tokens. A token consists of whole code points, but a grapheme can have
 * several tokens.
 */
export class Corpus {
  /** Number of tokens after which the text repeats. */
  readonly tokenCount: number
  readonly #tokens: readonly Token[]
  readonly #text: JoinedTokens
  /** The tokens with the escape sequences of JSON, as a byte string. */
  readonly #escaped: JoinedTokens
  /** For each token, the index of the first token of its sentence. */
  readonly #sentenceStarts: Uint16Array

  /** @param createSentence creates a sentence that starts with a space, or that follows a line break */
  constructor(createSentence: (random: RandomFunction, index: number) => string) {
    const random = createMulberry32(CORPUS_SEED)
    const texts: string[] = []
    const sentenceStarts: number[] = []
    for (let index = 0; texts.length < MIN_TOKENS; index += 1) {
      sentenceStarts.push(texts.length)
      texts.push(...splitTokens(createSentence(random, index)))
    }
    const distinct = new Map([...new Set(texts)].map((text) => [text, createToken(text)]))
    this.tokenCount = texts.length
    this.#tokens = texts.map((text) => distinct.get(text) ?? createToken(text))
    this.#text = joinTokens(texts)
    this.#escaped = joinTokens(this.#tokens.map(({ escaped }) => escaped))
    this.#sentenceStarts = new Uint16Array(texts.length)
    for (const [index, start] of sentenceStarts.entries()) {
      this.#sentenceStarts.fill(start, start, sentenceStarts[index + 1])
    }
  }

  getToken(index: number): string {
    return this.#tokens[this.#wrap(index)]?.text ?? ''
  }

  /** Returns one token as a JSON string, as a byte string. */
  getTokenLiteral(index: number): string {
    return this.#tokens[this.#wrap(index)]?.literal ?? '""'
  }

  /**
   * Returns consecutive tokens as text.
   * @param start index of the first token, any integer
   * @param tokens number of tokens; 0 returns an empty text
   */
  getText(start: number, tokens: number): string {
    return this.#slice(this.#text, start, tokens)
  }

  /** Returns the text of {@link getText} with the escape sequences of JSON and without quotes, as a byte string. */
  getEscapedText(start: number, tokens: number): string {
    return this.#slice(this.#escaped, start, tokens)
  }

  /** Returns the index of the first token of the sentence that contains `token`, any integer. */
  findSentenceStart(token: number): number {
    const at = this.#wrap(token)
    return token - (at - (this.#sentenceStarts[at] ?? at))
  }

  /** Returns tokens from the start of the sentence that contains `token`, without the space before them. */
  getPassage(token: number, tokens: number): string {
    return this.getText(this.findSentenceStart(token), tokens).trimStart()
  }

  #slice({ text, offsets }: JoinedTokens, start: number, tokens: number): string {
    let at = this.#wrap(start)
    let left = tokens
    let passage = ''
    while (left > 0) {
      const end = Math.min(at + left, this.tokenCount)
      passage += text.slice(offsets[at], offsets[end])
      left -= end - at
      at = 0
    }
    return passage
  }

  #wrap(token: number): number {
    const { tokenCount } = this
    return ((token % tokenCount) + tokenCount) % tokenCount
  }
}

/** A token and its encodings. A corpus has several hundred distinct tokens, and each of them is stored once. */
interface Token {
  readonly text: string
  /** The token with the escape sequences of JSON, as a byte string. */
  readonly escaped: string
  /** The token as a JSON string, as a byte string. */
  readonly literal: string
}

function createToken(text: string): Token {
  const literal = toByteString(JSON.stringify(text))
  return { text, escaped: literal.slice(1, -1), literal }
}

/** A text with the start offset of each of its tokens. The last offset is the length of the text. */
interface JoinedTokens {
  readonly text: string
  readonly offsets: Uint32Array
}

function joinTokens(tokens: readonly string[]): JoinedTokens {
  let end = 0
  const ends = Uint32Array.from(tokens, (token) => (end += token.length))
  const offsets = new Uint32Array(tokens.length + 1)
  offsets.set(ends, 1)
  return { text: tokens.join(''), offsets }
}

const corpora = new Map<CorpusName, Corpus>()

/** Returns a corpus. Generates it at its first use. */
export function getCorpus(name: CorpusName): Corpus {
  const existing = corpora.get(name)
  if (existing !== undefined) return existing
  const corpus = createCorpus(name)
  corpora.set(name, corpus)
  return corpus
}

function createCorpus(name: CorpusName): Corpus {
  switch (name) {
    case 'ascii':
      return new Corpus(createAsciiSentence)
    case 'natural':
      return new Corpus(createNaturalSentence)
    case 'spoken':
      return new Corpus(createSpokenSentence)
    default:
      return new Corpus(LANGUAGES[name].createSentence)
  }
}

/**
 * Selects the text of a chat completion: in the language that the last message names or uses, otherwise mixed. A suite
 * can therefore ask for a sentence in a script and gets it, as from most models.
 * @param message text of the last message
 */
export function selectCorpus(kind: 'natural' | 'ascii', message: string): CorpusName {
  if (kind === 'ascii') return 'ascii'
  const names = Object.keys(LANGUAGES) as Language[] // The cast is safe, because LANGUAGES has no other keys.
  return names.find((name) => LANGUAGES[name].pattern.test(message)) ?? 'natural'
}
