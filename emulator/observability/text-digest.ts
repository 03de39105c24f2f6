import { createHash } from 'node:crypto'

/** A JSON string in the field `content` of a chat completion or of an event. */
const CONTENT = /"content":"((?:[^"\\]|\\.)*)"/g

/**
 * Computes the SHA-256 of the text in a chat completion or in its events. The digest does not depend on the division of
 * the text into events, or on other fields.
 */
export class TextDigest {
  readonly #hash = createHash('sha256')
  /** The last part of the body, which may end within an event. Each character is a byte. */
  #rest = ''

  /** Adds a part of the response body. A string is a byte string. */
  add(chunk: Buffer | string): void {
    this.#rest += typeof chunk === 'string' ? chunk : chunk.toString('latin1')
    const end = this.#rest.lastIndexOf('\n\n')
    if (end === -1) return
    this.#addTexts(this.#rest.slice(0, end))
    this.#rest = this.#rest.slice(end)
  }

  /** Returns the digest in hex. Call it once, after the last part. */
  digest(): string {
    this.#addTexts(this.#rest)
    return this.#hash.digest('hex')
  }

  #addTexts(body: string): void {
    for (const [, text = ''] of body.matchAll(CONTENT)) this.#hash.update(unescape(Buffer.from(text, 'latin1')))
  }
}

/** Decodes the escape sequences of a JSON string. Returns a string that is not valid JSON unchanged. */
function unescape(bytes: Buffer): Buffer | string {
  if (!bytes.includes('\\')) return bytes
  try {
    return JSON.parse(`"${bytes.toString()}"`) as string
  } catch {
    return bytes
  }
}
