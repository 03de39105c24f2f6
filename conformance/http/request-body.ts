import { isUtf8 } from 'node:buffer'
import { getMember, parseJson } from './decode-body.ts'
import type { RequestSpec } from './exchange.ts'

/** Minimum size of a large request body in bytes. Only the checks of large bodies send so much. */
const MIN_LARGE_BYTES = 1024 * 1024

const parsed = new WeakMap<Uint8Array, { readonly json: unknown }>()

/** Parses the JSON of a request body like `parseJson`, once for each body. A run needs the fields of a request often. */
export function parseRequestJson(body: Uint8Array): unknown {
  const known = parsed.get(body) ?? { json: parseJson(Buffer.from(body).toString('utf8')) }
  parsed.set(body, known)
  return known.json
}

export function isStreamingRequest({ body }: Pick<RequestSpec, 'body'>): boolean {
  return body !== undefined && getMember(parseRequestJson(body), 'stream') === true
}

export function hasLargeBody({ body }: Pick<RequestSpec, 'body'>): boolean {
  return body !== undefined && body.byteLength >= MIN_LARGE_BYTES
}

/** Returns whether a request declares JSON, but its body is not valid UTF-8. */
export function hasInvalidUtf8({ headers, body }: Pick<RequestSpec, 'headers' | 'body'>): boolean {
  return body !== undefined && /^application\/json\b/i.test(headers['content-type'] ?? '') && !isUtf8(body)
}
