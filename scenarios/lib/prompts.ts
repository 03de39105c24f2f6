import type { ChatMessage } from './prompt-file.ts'
import { createSeededRandom } from './seeded-random.ts'

const WORDS =
  'river garden window letter winter bridge market candle forest island mirror kitchen harvest engine village planet silver blanket'.split(
    ' ',
  )

/** Creates a word that is unique in the run. */
export function createNonce(seed: number, index: number): string {
  const chance = Math.floor(createSeededRandom(seed, 'nonce', index) * 36 ** 4)
  return `ref-${index.toString(36).padStart(5, '0')}-${chance.toString(36).padStart(4, '0')}`
}

/**
 * Builds a prompt of about `words` words. It depends only on the seed and the index. With a nonce, it is unique, so that a
 * target cannot respond from a cache.
 */
export function buildPrompt(seed: number, index: number, words: number, nonce: boolean): string {
  const opening = `${nonce ? `${createNonce(seed, index)}: tell` : 'Tell'} a story about`
  const rest = Math.max(1, words - opening.split(' ').length)
  return `${opening} ${createWords(seed, index, rest)}.`
}

/** Adds a nonce to the start of the first message, because caches compare prompts from their start. */
export function addNonce(messages: readonly ChatMessage[], seed: number, index: number): ChatMessage[] {
  return messages.map((message, at) => (at === 0 ? prependText(message, `${createNonce(seed, index)}: `) : message))
}

function prependText(message: ChatMessage, text: string): ChatMessage {
  const { content } = message
  return {
    ...message,
    content: Array.isArray(content) ? [{ type: 'text', text }, ...content] : text + String(content ?? ''),
  }
}

/** Maximum number of tokens that the role and the message format add to a prompt. */
const FURTHER_TOKENS = 16

/**
 * Returns an upper bound of the number of tokens in a prompt, for any tokenizer. A token has at least one byte of UTF-8.
 */
export function getMaxPromptTokens(prompt: string): number {
  return countBytes(prompt) + FURTHER_TOKENS
}

/** Counts the bytes of a text in UTF-8. k6 has no TextEncoder. */
function countBytes(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    // Each half of a surrogate pair has two of its four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}

/**
 * Creates a text of `count` words: successive words of a fixed list, from a position that depends on the seed and the
 * index.
 */
export function createWords(seed: number, index: number, count: number): string {
  const start = Math.floor(createSeededRandom(seed, 'words', index) * WORDS.length)
  return Array.from({ length: count }, (_, at) => WORDS[(start + at) % WORDS.length]).join(' ')
}
