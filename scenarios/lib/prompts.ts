import { createSeededRandom } from './seeded-random.ts'

const WORDS =
  'river garden window letter winter bridge market candle forest island mirror kitchen harvest engine village planet silver blanket'.split(
    ' ',
  )

/** Creates a word that is unique in the run, so that a response that repeats it can be matched to its request. */
export function createNonce(seed: number, index: number): string {
  const chance = Math.floor(createSeededRandom(seed, 'nonce', index) * 36 ** 4)
  return `ref-${index.toString(36).padStart(5, '0')}-${chance.toString(36).padStart(4, '0')}`
}

/**
 * Builds a prompt of about `words` words. It depends only on the seed and the index. It is unique, so that a target
 * cannot respond from a cache.
 */
export function buildPrompt(seed: number, index: number, words: number, echo: boolean): string {
  const nonce = createNonce(seed, index)
  const opening = echo ? `Begin your answer with ${nonce} and tell a story about` : `${nonce}: tell a story about`
  const rest = Math.max(1, words - opening.split(' ').length)
  return `${opening} ${createWords(seed, index, rest)}.`
}

/** Maximum number of tokens that the role and the message format add to a prompt. */
const FURTHER_TOKENS = 16

/**
 * Returns an upper bound of the number of tokens in a prompt, for any tokenizer. A token has at least one byte, and
 * prompts are ASCII.
 */
export function getMaxPromptTokens(prompt: string): number {
  return prompt.length + FURTHER_TOKENS
}

/**
 * Creates a text of `count` words: successive words of a fixed list, from a position that depends on the seed and the
 * index.
 */
export function createWords(seed: number, index: number, count: number): string {
  const start = Math.floor(createSeededRandom(seed, 'words', index) * WORDS.length)
  return Array.from({ length: count }, (_, at) => WORDS[(start + at) % WORDS.length]).join(' ')
}
