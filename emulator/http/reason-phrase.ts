import type http from 'node:http'
import { createRequire } from 'node:module'

/** From the module as CommonJS has it: importing its values loads Node's own HTTP client, a tenth of the time to start. */
const { STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof http

/** What stands behind the status in the first line of an answer, as Node has it. */
export function reasonPhrase(status: number): string {
  return STATUS_CODES[status] ?? 'unknown'
}
