import type { RequestSpec } from './exchange.ts'

/** Minimum size of a large request body in bytes. Only the checks of large bodies send so much. */
const MIN_LARGE_BYTES = 1024 * 1024

export function hasLargeBody({ body }: Pick<RequestSpec, 'body'>): boolean {
  return body !== undefined && body.byteLength >= MIN_LARGE_BYTES
}
