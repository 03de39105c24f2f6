import { mulberry32, type RandomFunction } from '../media/mulberry32.ts'
import { ADJECTIVES, ADVERBS, ARTICLES, LINKS, NOUNS, PLACES, VERBS } from './words.ts'

/** How many tokens the corpus has; positions wrap around after it. */
export const CORPUS_TOKENS = 8192

/** The corpus is the same in every process: answers differ by where they are cut. */
const CORPUS_SEED = 20_240_607

interface Corpus {
  readonly text: string
  /** Where each token starts in the text, and at last where the text ends. */
  readonly offsets: Uint32Array
  /** For each token, the first one of its sentence. */
  readonly sentenceStarts: Uint16Array
}

let cachedCorpus: Corpus | undefined

/**
 * Text of `tokens` tokens from position `startToken` of the corpus, which goes on from its start after its end: English-like
 * sentences, ASCII, with no character that JSON escapes. A token is a word with the space before it, or a mark, so texts
 * of adjoining positions concatenate: `cutText(s, m) + cutText(s + m, n) === cutText(s, m + n)`.
 *
 * @param startToken an integer, of any size
 * @param tokens a count; 0 gives an empty text
 */
export function cutText(startToken: number, tokens: number): string {
  const { text, offsets } = (cachedCorpus ??= generateCorpus())
  let at = wrapPosition(startToken)
  let left = tokens
  let cut = ''
  while (left > 0) {
    const end = Math.min(at + left, CORPUS_TOKENS)
    cut += text.slice(offsets[at], offsets[end])
    left -= end - at
    at = 0
  }
  return cut
}

/** The same text as {@link cutText} gives, token by token. */
export function cutTokens(startToken: number, tokens: number): string[] {
  return Array.from({ length: Math.max(0, tokens) }, (_, index) => cutText(startToken + index, 1))
}

/**
 * Position of the first token of the sentence that the token at `token` is part of; at most `token`. A text from here
 * starts with a capital (after a space), and a text up to here ends with a full mark.
 */
export function findSentenceStart(token: number): number {
  const { sentenceStarts } = (cachedCorpus ??= generateCorpus())
  const at = wrapPosition(token)
  return token - (at - (sentenceStarts[at] ?? at))
}

function wrapPosition(token: number): number {
  return ((token % CORPUS_TOKENS) + CORPUS_TOKENS) % CORPUS_TOKENS
}

function generateCorpus(): Corpus {
  const draws = mulberry32(CORPUS_SEED)
  const tokens: string[] = []
  // The last token is a full stop, so that the corpus can follow itself.
  while (tokens.length < CORPUS_TOKENS - 1) {
    appendSentence(tokens, draws)
  }
  tokens.length = CORPUS_TOKENS - 1
  tokens.push('.')

  const offsets = new Uint32Array(CORPUS_TOKENS + 1)
  const sentenceStarts = new Uint16Array(CORPUS_TOKENS)
  let end = 0
  let sentenceStart = 0
  for (const [index, token] of tokens.entries()) {
    end += token.length
    offsets[index + 1] = end
    sentenceStarts[index] = sentenceStart
    if (token === '.' || token === '!') sentenceStart = index + 1
  }
  return { text: tokens.join(''), offsets, sentenceStarts }
}

/** One or two clauses with a mark at the end; the first word has a capital. */
function appendSentence(tokens: string[], draws: RandomFunction): void {
  const start = tokens.length
  appendClause(tokens, draws)
  if (draws() < 0.4) {
    tokens.push(',', pick(LINKS, draws))
    appendClause(tokens, draws)
  }
  const first = tokens[start] ?? ''
  tokens[start] = ` ${first.charAt(1).toUpperCase()}${first.slice(2)}`
  tokens.push(draws() < 0.9 ? '.' : '!')
}

function appendClause(tokens: string[], draws: RandomFunction): void {
  appendNounPhrase(tokens, draws)
  if (draws() < 0.3) {
    tokens.push(pick(ADVERBS, draws))
  }
  tokens.push(pick(VERBS, draws))
  appendNounPhrase(tokens, draws)
  if (draws() < 0.5) {
    tokens.push(pick(PLACES, draws))
    appendNounPhrase(tokens, draws)
  }
}

function appendNounPhrase(tokens: string[], draws: RandomFunction): void {
  const article = pick(ARTICLES, draws)
  const adjective = draws() < 0.5 ? pick(ADJECTIVES, draws) : undefined
  const noun = pick(NOUNS, draws)
  const initial = (adjective ?? noun).charAt(1)
  tokens.push(article === ' a' && 'aeiou'.includes(initial) ? ' an' : article)
  if (adjective !== undefined) {
    tokens.push(adjective)
  }
  tokens.push(noun)
}

function pick(words: readonly string[], draws: RandomFunction): string {
  return words[Math.floor(draws() * words.length)] ?? ''
}
