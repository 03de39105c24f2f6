import type { Wire, WireResponse } from '../wire.ts'
import type { Match } from './match.ts'

/** Responds to matching requests in the emulator's place. */
export function reply(match: Match, response: WireResponse): Wire {
  return { request: (request) => (match(request) ? response : request) }
}

/** Rejects matching requests with a status and the usual error body. */
export function reject(match: Match, status: number): Wire {
  return reply(match, errorResponse(status))
}

/** Changes the responses to matching requests. */
export function changeResponses(match: Match, change: (response: WireResponse) => WireResponse): Wire {
  return { response: (response, request) => (match(request) ? change(response) : response) }
}

/** Changes the responses to matching requests that were served. */
export function changeSuccesses(match: Match, change: (response: WireResponse) => WireResponse): Wire {
  return changeResponses(match, (response) => (response.status === 200 ? change(response) : response))
}

/** Changes responses with a status, to any request. */
export function changeStatus(status: number, change: (response: WireResponse) => WireResponse): Wire {
  return { response: (response) => (response.status === status ? change(response) : response) }
}

/** Combines two changes: the first applicable change of the request, and both changes of the response in order. */
export function both(first: Wire, second: Wire): Wire {
  return {
    request(request) {
      const changed = first.request?.(request) ?? request
      return changed === request ? (second.request?.(request) ?? request) : changed
    },
    response(response, request) {
      const changed = first.response?.(response, request) ?? response
      return second.response?.(changed, request) ?? changed
    },
  }
}

/**
 * Changes a member of the JSON in a response, at any depth; `undefined` removes it. `change` receives the original
 * value.
 */
export function member(name: string, change: (value: unknown) => unknown): (response: WireResponse) => WireResponse {
  return (response) => ({ ...response, body: Buffer.from(changeMember(response.body.toString('utf8'), name, change)) })
}

/** Changes a member of a JSON text at any depth. */
export function changeMember(json: string, name: string, change: (value: unknown) => unknown): string {
  return JSON.stringify(JSON.parse(json, (key, value: unknown) => (key === name ? change(value) : value)))
}

/** Sets a header field, or removes it. */
export function header(name: string, value: string | undefined): (response: WireResponse) => WireResponse {
  return (response) => {
    const { [name]: _before, ...others } = response.headers
    return { ...response, headers: value === undefined ? others : { ...others, [name]: value } }
  }
}

/** Replaces the status of a response. */
export function status(code: number): (response: WireResponse) => WireResponse {
  return (response) => ({ ...response, status: code })
}

/** Replaces the body of a response, and the media type if one is given. */
export function body(content: Buffer | string, mediaType?: string): (response: WireResponse) => WireResponse {
  return (response) => ({
    ...response,
    headers: mediaType === undefined ? response.headers : { ...response.headers, 'content-type': mediaType },
    body: Buffer.from(content),
  })
}

/** A response with a JSON body. */
export function json(value: unknown, code = 200): WireResponse {
  return { status: code, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) }
}

/** An error response with the body that client SDKs read. */
export function errorResponse(code: number): WireResponse {
  return json({ error: { message: 'Refused.', type: 'invalid_request_error', param: null, code: null } }, code)
}
