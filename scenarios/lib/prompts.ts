import { seededRandom } from './seeded-random.ts'

const WORDS =
  'river garden window letter winter bridge market candle forest island mirror kitchen harvest engine village planet silver blanket'.split(
    ' ',
  )

/** A word that is unique in the run. */
export function createNonce(seed: number, index: number): string {
  const chance = Math.floor(seededRandom(seed, 'nonce', index) * 36 ** 4)
  return `ref-${index.toString(36).padStart(5, '0')}-${chance.toString(36).padStart(4, '0')}`
}

/**
 * The prompt of a request, with about `words` words. Seed and index determine it, and it is unique, so that a target
 * cannot respond from a cache.
 */
export function buildPrompt(seed: number, index: number, words: number, echo: boolean): string {
  const nonce = createNonce(seed, index)
  const opening = echo ? `Begin your answer with ${nonce} and tell a story about` : `${nonce}: tell a story about`
  const rest = Math.max(1, words - opening.split(' ').length)
  return `${opening} ${createWords(seed, index, rest)}.`
}

/** Tokens that the role and the message format may add. */
const FURTHER_TOKENS = 16

/** Upper bound of the tokens of a prompt for any tokenizer: a token has at least one byte, and prompts are ASCII. */
export function maxPromptTokens(prompt: string): number {
  return prompt.length + FURTHER_TOKENS
}

/** A sequence of `count` words. */
export function createWords(seed: number, index: number, count: number): string {
  const start = Math.floor(seededRandom(seed, 'words', index) * WORDS.length)
  return Array.from({ length: count }, (_, at) => WORDS[(start + at) % WORDS.length]).join(' ')
}
