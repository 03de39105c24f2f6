import type http from 'node:http'
import { createRequire } from 'node:module'

/** Loaded as CommonJS, because an ES import would also load Node's HTTP client and lengthen the start by a tenth. */
const { STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof http

/** Returns Node's reason phrase for a status. */
export function getReasonPhrase(status: number): string {
  return STATUS_CODES[status] ?? 'unknown'
}
