import type { ProxyHooks, ProxiedResponse } from '../proxy-hooks.ts'
import type { RequestMatcher } from './match.ts'

/** Sends this response to matching requests, which never reach the emulator. */
export function respondWith(match: RequestMatcher, response: ProxiedResponse): ProxyHooks {
  return { onRequest: (request) => (match(request) ? response : request) }
}

/** Rejects matching requests with this status and an error body that client SDKs can parse. */
export function rejectRequests(match: RequestMatcher, status: number): ProxyHooks {
  return respondWith(match, createErrorResponse(status))
}

export function changeResponses(
  match: RequestMatcher,
  change: (response: ProxiedResponse) => ProxiedResponse,
): ProxyHooks {
  return { onResponse: (response, request) => (match(request) ? change(response) : response) }
}

/** Changes responses to matching requests if their status is 200. */
export function changeSuccesses(
  match: RequestMatcher,
  change: (response: ProxiedResponse) => ProxiedResponse,
): ProxyHooks {
  return changeResponses(match, (response) => (response.status === 200 ? change(response) : response))
}

/** Applies `onResponse` only to responses to matching requests. */
export function limitHooks(match: RequestMatcher, { onResponse }: ProxyHooks): ProxyHooks {
  return {
    onResponse: (response, request) => (match(request) ? (onResponse?.(response, request) ?? response) : response),
  }
}

export function changeStatus(status: number, change: (response: ProxiedResponse) => ProxiedResponse): ProxyHooks {
  return { onResponse: (response) => (response.status === status ? change(response) : response) }
}

/**
 * Combines two sets of hooks. If the first one changes a request, the second one does not see that request. A response
 * passes through both in this order.
 */
export function combineHooks(first: ProxyHooks, second: ProxyHooks): ProxyHooks {
  return {
    onRequest(request) {
      const changed = first.onRequest?.(request) ?? request
      return changed === request ? (second.onRequest?.(request) ?? request) : changed
    },
    onResponse(response, request) {
      const changed = first.onResponse?.(response, request) ?? response
      return second.onResponse?.(changed, request) ?? changed
    },
  }
}

/**
 * Changes a property in the JSON body of a response, at any depth. Removes the property if `change` returns undefined.
 */
export function changeProperty(
  name: string,
  change: (value: unknown) => unknown,
): (response: ProxiedResponse) => ProxiedResponse {
  return (response) => ({
    ...response,
    body: Buffer.from(changeJsonProperty(response.body.toString('utf8'), name, change)),
  })
}

/** Returns a function that sets a property in the JSON body of a response, at any depth. `undefined` removes it. */
export function setProperty(name: string, value: unknown): (response: ProxiedResponse) => ProxiedResponse {
  return changeProperty(name, () => value)
}

/** Changes a property in a JSON text, at any depth. */
export function changeJsonProperty(json: string, name: string, change: (value: unknown) => unknown): string {
  return JSON.stringify(JSON.parse(json, (key, value: unknown) => (key === name ? change(value) : value)))
}

/** Returns a function that sets a header field of a response. `undefined` removes the field. */
export function setHeader(name: string, value: string | undefined): (response: ProxiedResponse) => ProxiedResponse {
  return (response) => {
    const { [name]: _before, ...others } = response.headers
    return { ...response, headers: value === undefined ? others : { ...others, [name]: value } }
  }
}

export function setStatus(code: number): (response: ProxiedResponse) => ProxiedResponse {
  return (response) => ({ ...response, status: code })
}

/**
 * Returns a function that replaces the body of a response. It also replaces the `Content-Type` if `mediaType` is set.
 */
export function setBody(content: Buffer | string, mediaType?: string): (response: ProxiedResponse) => ProxiedResponse {
  return (response) => ({
    ...response,
    headers: mediaType === undefined ? response.headers : { ...response.headers, 'content-type': mediaType },
    body: Buffer.from(content),
  })
}

export function createJsonResponse(value: unknown, code = 200): ProxiedResponse {
  return { status: code, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) }
}

/** Creates an error response whose body client SDKs can parse. */
export function createErrorResponse(code: number): ProxiedResponse {
  return createJsonResponse(
    { error: { message: 'Refused.', type: 'invalid_request_error', param: null, code: null } },
    code,
  )
}
