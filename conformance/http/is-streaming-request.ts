import type { RequestSpec } from './exchange.ts'
import { parseRequestJson } from './request-json.ts'

export function isStreamingRequest({ body }: Pick<RequestSpec, 'body'>): boolean {
  if (body === undefined) return false
  const fields = parseRequestJson(body)
  return typeof fields === 'object' && fields !== null && 'stream' in fields && fields.stream === true
}
