/** Asks for far more tokens than any bound that a check sets. */
export const LONG_ANSWER = [
  { role: 'user', content: 'Count from 1 to 1000 in English words, one line each, and leave nothing out.' },
]

/** A bound that a long response reaches. The least is not shown: no fewer than the suite asks for everywhere. */
export const FEW_TOKENS = 16

/** Upper bound of the tokens of such a chat: its prompt and the few tokens of its response. */
export const LONG_CHAT_TOKENS = 128
