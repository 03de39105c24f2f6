import { draw } from './draw.ts'

const WORDS =
  'river garden window letter winter bridge market candle forest island mirror kitchen harvest engine village planet silver blanket'.split(
    ' ',
  )

/** A word that no other request of the run has. */
export function nonceOf(seed: number, index: number): string {
  const chance = Math.floor(draw(seed, 'nonce', index) * 36 ** 4)
  return `ref-${index.toString(36).padStart(5, '0')}-${chance.toString(36).padStart(4, '0')}`
}

/**
 * What a request asks, about so many words long: the same for a seed and an index, and another for each index, so that no cache
 * of answers is measured by mistake.
 */
export function promptOf(seed: number, index: number, words: number, echo: boolean): string {
  const nonce = nonceOf(seed, index)
  const opening = echo ? `Begin your answer with ${nonce} and tell a story about` : `${nonce}: tell a story about`
  const rest = Math.max(1, words - opening.split(' ').length)
  return `${opening} ${wordsOf(seed, index, rest)}.`
}

/** Tokens that roles and the like may add to a message. */
const FURTHER_TOKENS = 16

/** What a prompt counts at most, whatever the target's tokenizer: no token is shorter than a byte, and prompts are ASCII. */
export function maxPromptTokens(prompt: string): number {
  return prompt.length + FURTHER_TOKENS
}

/** So many words in a row. */
export function wordsOf(seed: number, index: number, count: number): string {
  const start = Math.floor(draw(seed, 'words', index) * WORDS.length)
  return Array.from({ length: count }, (_, at) => WORDS[(start + at) % WORDS.length]).join(' ')
}
