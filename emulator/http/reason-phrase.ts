import type http from 'node:http'
import { createRequire } from 'node:module'

/**
 * Loads the module as CommonJS, because an ES import also loads Node's HTTP client and lengthens the startup by 10 %.
 */
const { STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof http

/** Returns Node's reason phrase for an HTTP status. */
export function getReasonPhrase(status: number): string {
  return STATUS_CODES[status] ?? 'unknown'
}
