import type http from 'node:http'
import { createRequire } from 'node:module'

/**
 * Reason phrases by status. `require` loads the module, because an ES import would also load Node's HTTP client and
 * lengthen the startup by 10 %.
 */
const { STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof http

/** Returns Node's reason phrase for an HTTP status, or `unknown`. */
export function getReasonPhrase(status: number): string {
  return STATUS_CODES[status] ?? 'unknown'
}
