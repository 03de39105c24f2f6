import type { ProxyHooks, ProxiedRequest } from '../proxy-hooks.ts'
import { type JsonFields, parseFields, type RequestMatcher } from './match.ts'

/** Changes matching requests before the proxy forwards them, for example so that the emulator accepts them. */
export function rewriteRequests(
  match: RequestMatcher,
  change: (request: ProxiedRequest) => ProxiedRequest,
): ProxyHooks {
  return { onRequest: (request) => (match(request) ? change(request) : request) }
}

/** Changes properties in the JSON body of matching requests. Removes properties that are set to undefined. */
export function rewriteFields(
  match: RequestMatcher,
  change: JsonFields | ((fields: JsonFields) => JsonFields),
): ProxyHooks {
  return rewriteRequests(match, (request) => {
    const fields = parseFields(request)
    if (fields === undefined) return request
    const changed = typeof change === 'function' ? change(fields) : change
    return replaceJsonBody(request, { ...fields, ...changed })
  })
}

export function rewriteKey(match: RequestMatcher, key: string): ProxyHooks {
  return rewriteRequests(match, (request) => ({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${key}` },
  }))
}

export function rewritePath(match: RequestMatcher, change: (target: string) => string): ProxyHooks {
  return rewriteRequests(match, (request) => ({ ...request, target: change(request.target) }))
}

export function replaceJsonBody(request: ProxiedRequest, body: unknown): ProxiedRequest {
  return { ...request, body: Buffer.from(JSON.stringify(body)) }
}
