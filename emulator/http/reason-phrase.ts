import type http from 'node:http'
import { createRequire } from 'node:module'

/** Loaded as CommonJS: importing the named values would load Node's HTTP client, a tenth of the start time. */
const { STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof http

/** Reason phrase of a status, as Node sends it. */
export function getReasonPhrase(status: number): string {
  return STATUS_CODES[status] ?? 'unknown'
}
