import type { ProxiedRequest, ProxiedResponse, ProxyHooks } from '../proxy-hooks.ts'
import type { RequestMatcher } from './match.ts'

/** Sends this response to matching requests, which never reach the emulator. */
export function respondWith(match: RequestMatcher, response: ProxiedResponse): ProxyHooks {
  return { onRequest: (request) => (match(request) ? response : request) }
}

/** Rejects matching requests with this status and an error body that client SDKs can parse. */
export function rejectRequests(match: RequestMatcher, status: number): ProxyHooks {
  return respondWith(match, createErrorResponse(status))
}

type Change = (response: ProxiedResponse) => ProxiedResponse
export type ResponseChange = (response: ProxiedResponse, request: ProxiedRequest) => ProxiedResponse

export function changeResponses(match: RequestMatcher, change: ResponseChange): ProxyHooks {
  return { onResponse: (response, request) => (match(request) ? change(response, request) : response) }
}

/** Changes responses with this status, by default those to all requests. */
export function changeStatus(status: number, change: ResponseChange, match: RequestMatcher = () => true): ProxyHooks {
  return changeResponses(match, (response, request) =>
    response.status === status ? change(response, request) : response,
  )
}

export function changeSuccesses(match: RequestMatcher, change: ResponseChange): ProxyHooks {
  return changeStatus(200, change, match)
}

/** Combines hooks. If `first` changes a request, `second` does not see it. A response passes through both. */
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

/** Changes a property of a JSON response at any depth, and removes it if `change` returns undefined. */
export function changeProperty(name: string, change: (value: unknown) => unknown): Change {
  return (response) => ({
    ...response,
    body: Buffer.from(changeJsonProperty(response.body.toString('utf8'), name, change)),
  })
}

/** Returns a function that sets a property in the JSON body of a response, at any depth. `undefined` removes it. */
export function setProperty(name: string, value: unknown): Change {
  return changeProperty(name, () => value)
}

export function changeJsonProperty(json: string, name: string, change: (value: unknown) => unknown): string {
  return JSON.stringify(JSON.parse(json, (key, value: unknown) => (key === name ? change(value) : value)))
}

/** Returns a function that sets a header field of a response. `undefined` removes the field. */
export function setHeader(name: string, value: string | undefined): Change {
  return (response) => {
    const { [name]: _before, ...others } = response.headers
    return { ...response, headers: value === undefined ? others : { ...others, [name]: value } }
  }
}

export function setStatus(code: number): Change {
  return (response) => ({ ...response, status: code })
}

/** Returns a function that replaces the body of a response, and its `Content-Type` if `mediaType` is set. */
export function setBody(content: Buffer | string, mediaType?: string): Change {
  return (response) => ({
    ...response,
    headers: mediaType === undefined ? response.headers : { ...response.headers, 'content-type': mediaType },
    body: Buffer.from(content),
  })
}

export function createJsonResponse(value: unknown, code = 200): ProxiedResponse {
  return { status: code, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) }
}

export function createErrorResponse(code: number): ProxiedResponse {
  return createJsonResponse(
    { error: { message: 'Refused.', type: 'invalid_request_error', param: null, code: null } },
    code,
  )
}
