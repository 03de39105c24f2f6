/** Text of a message in several scripts, one of them from right to left, with a character outside the basic plane. */
export const UNICODE_GREETING = 'Grüße, Привет, 你好, שלום, 👋🏽: greet me back.'
