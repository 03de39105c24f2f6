/**
 * Text of a message in several scripts, one of them from right to left, with a character outside the basic plane. It
 * asks for a response in these scripts, so that `1/intact-text` can evaluate one.
 */
export const UNICODE_GREETING = 'Grüße, Привет, 你好, שלום, 👋🏽: greet me back in all of them.'
