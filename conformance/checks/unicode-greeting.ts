/** Text of a message with several scripts, from right to left too, and a character outside the basic plane. */
export const UNICODE_GREETING = 'Grüße, Привет, 你好, שלום, 👋🏽: greet me back.'
