/**
 * Converts text to a byte string: a string with one character for each byte of its UTF-8 encoding. Response writers take
 * byte strings, because V8 joins and sends them several times faster than text with characters outside Latin-1. ASCII
 * text is its own byte string.
 */
export function toByteString(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1')
}

/** Matches the first byte of a character outside ASCII. */
export const MULTI_BYTE_CHARACTER = /[\x80-\xff]/
