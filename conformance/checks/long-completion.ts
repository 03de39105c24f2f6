/** Messages that request far more tokens than any bound that a check sets. */
export const LONG_COMPLETION = [{ role: 'user', content: 'Count from 1 to 1000 in words.' }]

/** Returns such messages with a nonce, so that a cache in front of the target cannot serve the request. */
export function longCompletionOf(nonce: string): readonly { readonly role: string; readonly content: string }[] {
  return LONG_COMPLETION.map(({ role, content }) => ({ role, content: `${content} This is request ${nonce}.` }))
}

/**
 * A `max_tokens` that a long completion reaches. Its lower bound is unspecified: the suite uses the same number
 * everywhere.
 */
export const FEW_TOKENS = 16

/** Upper bound of the tokens of such a chat: its prompt and its short completion. */
export const LONG_CHAT_TOKENS = 128

/** A chat that several checks send to each model. */
export const EACH_MODEL_CHAT = { temperature: 0.3 } as const

/** A stream that several checks request from each model. It is long enough for checks of its length. */
export const EACH_MODEL_STREAM = { temperature: 2, stream: true, messages: LONG_COMPLETION } as const
