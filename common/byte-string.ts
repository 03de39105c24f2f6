/**
 * Converts text to a byte string: a string with one character for each byte of its UTF-8 encoding. Response writers take
 * byte strings, because V8 joins and sends them several times faster than text with characters outside Latin-1. ASCII
 * text is its own byte string.
 */
export function toByteString(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1')
}

/** Text that is already encoded. Where a string may be text or a byte string, this type marks the byte string. */
export class EncodedText {
  readonly byteString: string

  constructor(byteString: string) {
    this.byteString = byteString
  }
}

/** Returns a body as bytes or as a byte string, which have the same length. */
export function encodeBody(body: Buffer | string | EncodedText): Buffer | string {
  if (body instanceof EncodedText) return body.byteString
  return typeof body === 'string' ? toByteString(body) : body
}

/** Matches the first byte of a character outside ASCII. */
export const MULTI_BYTE_CHARACTER = /[\x80-\xff]/
