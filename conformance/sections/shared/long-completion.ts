import { PARAMETER_DEFAULTS } from '../../../contract/facts.ts'

/** Messages that request a completion much longer than every `max_tokens` of the suite. */
export const LONG_COMPLETION_MESSAGES = [{ role: 'user', content: 'Count from 1 to 1000 in English words.' }]

/** Returns the messages of a long completion, with a nonce against caches. */
export function buildLongCompletion(nonce: string): readonly { readonly role: string; readonly content: string }[] {
  return LONG_COMPLETION_MESSAGES.map(({ role, content }) => ({
    role,
    content: `${content} This is request ${nonce}.`,
  }))
}

/** Maximum prompt tokens of a long completion: at most one for each byte, and those of a chat template. */
export const LONG_PROMPT_TOKENS = 112

/** System message of a stream that several checks request from each model. */
export const SYSTEM_MESSAGE = { role: 'system', content: 'Answer in English.' } as const

/** Maximum tokens of a long chat with `CheckContext.smallMaxTokens`: its prompt and its truncated completion. */
export const LONG_CHAT_TOKENS = 128

export const EACH_MODEL_CHAT_FIELDS = { temperature: 0, messages: LONG_COMPLETION_MESSAGES } as const

/** A stream to each model, long enough to evaluate its length, whose system message tests that role. */
export const EACH_MODEL_STREAM_FIELDS = {
  temperature: 2,
  stream: true,
  messages: [SYSTEM_MESSAGE, ...LONG_COMPLETION_MESSAGES],
} as const

/** Maximum number of tokens of a completion. `isDefault` is set if it is the default of the specification. */
export interface TokenBound {
  readonly bound: number
  readonly isDefault?: true
}

/**
 * Returns the bound of a request with this `max_tokens`.
 * @param defaultBound default of `max_tokens`
 */
export function boundOf(
  maxTokens: number | undefined,
  defaultBound: number = PARAMETER_DEFAULTS.max_tokens,
): TokenBound {
  return maxTokens === undefined ? { bound: defaultBound, isDefault: true } : { bound: maxTokens }
}

/** A message in several scripts, one of them from right to left, with a character outside the basic plane. */
export const UNICODE_GREETING = 'Grüße, Привет, 你好, שלום, 👋🏽: greet me back in all of them.'
