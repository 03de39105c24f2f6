import type { Wire, WireRequest } from '../wire.ts'
import { type Fields, fieldsOf, type Match } from './match.ts'

/** Hands matching requests on changed: the emulator then serves what it should have refused, or something else. */
export function rewrite(match: Match, change: (request: WireRequest) => WireRequest): Wire {
  return { request: (request) => (match(request) ? change(request) : request) }
}

/** Hands matching requests on with another JSON body; a member set to undefined is left out. */
export function rewriteFields(match: Match, change: (fields: Fields) => Fields): Wire {
  return rewrite(match, (request) => {
    const fields = fieldsOf(request)
    return fields === undefined ? request : withJsonBody(request, { ...fields, ...change(fields) })
  })
}

/** Hands matching requests on with this key. */
export function rewriteKey(match: Match, key: string): Wire {
  return rewrite(match, (request) => ({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${key}` },
  }))
}

/** Hands matching requests on to another path. */
export function rewriteTarget(match: Match, change: (target: string) => string): Wire {
  return rewrite(match, (request) => ({ ...request, target: change(request.target) }))
}

/** The same request with a JSON body. */
export function withJsonBody(request: WireRequest, body: unknown): WireRequest {
  return { ...request, body: Buffer.from(JSON.stringify(body)) }
}
