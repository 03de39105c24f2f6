/** Messages that request far more tokens than any bound that a check sets. */
export const LONG_COMPLETION = [
  { role: 'user', content: 'Count from 1 to 1000 in English words, one line each, and leave nothing out.' },
]

/**
 * A `max_tokens` that a long completion reaches. Its lower bound is unspecified: the suite uses the same number
 * everywhere.
 */
export const FEW_TOKENS = 16

/** Upper bound of the tokens of such a chat: its prompt and its short completion. */
export const LONG_CHAT_TOKENS = 128
