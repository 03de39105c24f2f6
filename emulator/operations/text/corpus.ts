import { mulberry32, type RandomFunction } from '../../state/seeded-random.ts'

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

/**
 * The words that the corpus is made of. At most eight letters each, ASCII, lower case: one word with the space
 * before it is one token, and none needs escaping in JSON.
 */
export const NOUNS = split(`
  harbor lantern river market garden engine letter window bridge forest castle winter signal teacher pilot baker farmer
  painter captain doctor village station library kitchen meadow valley island machine ladder basket blanket compass
  picture story answer question journey morning evening summer shadow mirror pocket ribbon hammer needle anchor feather
  candle kettle barrel wagon saddle copper silver marble timber cotton velvet thunder breeze harvest orchard pasture
`)

/** Verbs that take an object, third person. */
export const VERBS = split(`
  carries follows watches mends paints keeps finds leaves opens closes guards crosses measures gathers reaches holds
  lifts turns warms cleans remakes borrows returns admires counts covers drops draws fills frames greets joins leads
  marks moves needs passes reads repairs saves shares shows sorts sweeps takes teaches tests touches traces trims visits
`)

export const ADJECTIVES = split(`
  quiet narrow golden patient ancient careful distant empty gentle heavy hidden honest humble lively lonely modest
  pale plain polished proud rapid rough rusty secret silent simple slender slow small smooth steady strange sturdy
  sudden sunny tidy tiny warm wide wild wise wooden young bright broad calm clear clever cold curious deep early
`)

export const ADVERBS = split(`
  slowly quietly often seldom always gladly kindly almost soon twice rarely neatly boldly calmly early late again
`)

export const PLACES = split('behind beside beyond near under above across inside outside around toward past along')

export const LINKS = split('and but while because so though until before after when where since')

export const ARTICLES = split('the a the this the every the that one the another')

function split(words: string): readonly string[] {
  return words
    .trim()
    .split(/\s+/)
    .map((word) => ` ${word}`)
}
