import { isUtf8 } from 'node:buffer'
import type { RequestSpec } from './exchange.ts'

/** Returns whether a request declares JSON, but its body is not valid UTF-8. */
export function hasInvalidUtf8({ headers, body }: Pick<RequestSpec, 'headers' | 'body'>): boolean {
  return body !== undefined && /^application\/json\b/i.test(headers['content-type'] ?? '') && !isUtf8(body)
}
