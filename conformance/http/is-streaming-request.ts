import { parseJson } from './decode-body.ts'
import type { RequestSpec } from './exchange.ts'

export function isStreamingRequest({ body }: Pick<RequestSpec, 'body'>): boolean {
  if (body === undefined) return false
  const fields = parseJson(Buffer.from(body).toString('utf8'))
  return typeof fields === 'object' && fields !== null && 'stream' in fields && fields.stream === true
}
