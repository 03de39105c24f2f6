import type { Wire, WireRequest } from '../wire.ts'
import { type Fields, parseFields, type Match } from './match.ts'

/**
 * Changes matching requests before forwarding them: the emulator then serves a request that it would reject, or another
 * one.
 */
export function rewrite(match: Match, change: (request: WireRequest) => WireRequest): Wire {
  return { request: (request) => (match(request) ? change(request) : request) }
}

/** Forwards matching requests with another JSON body; a member set to undefined is omitted. */
export function rewriteFields(match: Match, change: (fields: Fields) => Fields): Wire {
  return rewrite(match, (request) => {
    const fields = parseFields(request)
    return fields === undefined ? request : withJsonBody(request, { ...fields, ...change(fields) })
  })
}

/** Forwards matching requests with this key. */
export function rewriteKey(match: Match, key: string): Wire {
  return rewrite(match, (request) => ({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${key}` },
  }))
}

/** Forwards matching requests to another path. */
export function rewriteTarget(match: Match, change: (target: string) => string): Wire {
  return rewrite(match, (request) => ({ ...request, target: change(request.target) }))
}

/** Replaces the body of a request by JSON. */
export function withJsonBody(request: WireRequest, body: unknown): WireRequest {
  return { ...request, body: Buffer.from(JSON.stringify(body)) }
}
