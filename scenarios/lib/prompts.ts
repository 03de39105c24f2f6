import type { ChatMessage } from './prompt-file.ts'
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
 * Builds a prompt of about `words` words. It depends only on the seed and the index. With a nonce, it is unique, so that a
 * target cannot respond from a cache.
 * @param echo whether the prompt instructs the model to repeat the nonce
 */
export function buildPrompt(
  seed: number,
  index: number,
  words: number,
  { nonce, echo }: { readonly nonce: boolean; readonly echo: boolean },
): string {
  const start = nonce ? `${createNonce(seed, index)}: tell` : 'Tell'
  const opening = echo ? `${createEchoInstruction(seed, index)} and tell a story about` : `${start} a story about`
  const rest = Math.max(1, words - opening.split(' ').length)
  return `${opening} ${createWords(seed, index, rest)}.`
}

/** Returns the beginning of a sentence that instructs the model to repeat the nonce of a request. */
export function createEchoInstruction(seed: number, index: number): string {
  return `Begin your answer with ${createNonce(seed, index)}`
}

/** Adds a nonce to the start of the first message, because caches compare prompts from their start. */
export function addNonce(messages: readonly ChatMessage[], seed: number, index: number): ChatMessage[] {
  return messages.map((message, at) => (at === 0 ? prependText(message, `${createNonce(seed, index)}: `) : message))
}

/** Adds a sentence to the start of the last message of the user. */
export function addToLastMessage(messages: readonly ChatMessage[], sentence: string): ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  return messages.map((message, at) => (at === last ? prependText(message, `${sentence}. `) : message))
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
