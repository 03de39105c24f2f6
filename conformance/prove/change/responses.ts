import type { Wire, WireResponse } from '../wire.ts'
import type { Match } from './match.ts'

/** Answers matching requests in the emulator's place. */
export function reply(match: Match, answer: WireResponse): Wire {
  return { request: (request) => (match(request) ? answer : request) }
}

/** Refuses matching requests with a status and the usual error body. */
export function refuse(match: Match, status: number): Wire {
  return reply(match, refusal(status))
}

/** Changes the answers to matching requests. */
export function alter(match: Match, change: (answer: WireResponse) => WireResponse): Wire {
  return { answer: (answer, request) => (match(request) ? change(answer) : answer) }
}

/** Changes the answers to matching requests that were served. */
export function alterServed(match: Match, change: (answer: WireResponse) => WireResponse): Wire {
  return alter(match, (answer) => (answer.status === 200 ? change(answer) : answer))
}

/** Changes answers with a status, whatever was asked. */
export function alterStatus(status: number, change: (answer: WireResponse) => WireResponse): Wire {
  return { answer: (answer) => (answer.status === status ? change(answer) : answer) }
}

/** Does both: the first change of a request that applies, and all changes of the answer in turn. */
export function both(first: Wire, second: Wire): Wire {
  return {
    request(request) {
      const changed = first.request?.(request) ?? request
      return changed === request ? (second.request?.(request) ?? request) : changed
    },
    answer(answer, request) {
      const changed = first.answer?.(answer, request) ?? answer
      return second.answer?.(changed, request) ?? changed
    },
  }
}

/**
 * Changes a member of the JSON in an answer, wherever it stands; `undefined` takes it away.
 * `change` gets the value as it was.
 */
export function member(name: string, change: (value: unknown) => unknown): (answer: WireResponse) => WireResponse {
  return (answer) => ({ ...answer, body: Buffer.from(changeMember(answer.body.toString('utf8'), name, change)) })
}

/** The JSON text with a member changed wherever it stands. */
export function changeMember(json: string, name: string, change: (value: unknown) => unknown): string {
  return JSON.stringify(JSON.parse(json, (key, value: unknown) => (key === name ? change(value) : value)))
}

/** Sets a header field, or takes it away. */
export function header(name: string, value: string | undefined): (answer: WireResponse) => WireResponse {
  return (answer) => {
    const { [name]: _before, ...others } = answer.headers
    return { ...answer, headers: value === undefined ? others : { ...others, [name]: value } }
  }
}

/** Gives the answer another status. */
export function status(code: number): (answer: WireResponse) => WireResponse {
  return (answer) => ({ ...answer, status: code })
}

/** Gives the answer another body, and another media type where one is named. */
export function body(content: Buffer | string, mediaType?: string): (answer: WireResponse) => WireResponse {
  return (answer) => ({
    ...answer,
    headers: mediaType === undefined ? answer.headers : { ...answer.headers, 'content-type': mediaType },
    body: Buffer.from(content),
  })
}

/** An answer with a JSON body. */
export function json(value: unknown, code = 200): WireResponse {
  return { status: code, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) }
}

/** A refusal with the body that client SDKs read. */
export function refusal(code: number): WireResponse {
  return json({ error: { message: 'Refused.', type: 'invalid_request_error', param: null, code: null } }, code)
}
