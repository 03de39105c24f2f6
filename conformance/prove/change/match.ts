import { OPERATIONS, type Operation } from '../../../contract/facts.ts'
import type { WireRequest } from '../wire.ts'

/** Selects the requests that a mutant changes. */
export type Match = (request: WireRequest) => boolean

/** Well-formed requests to an operation, by method and path. */
export function to(operation: Operation): Match {
  const { method, path } = OPERATIONS[operation]
  return (request) => request.method === method && request.target === path
}

/** Requests that match all of these. */
export function all(...matches: readonly Match[]): Match {
  return (request) => matches.every((match) => match(request))
}

/** Requests that do not match. */
export function not(match: Match): Match {
  return (request) => !match(request)
}

/** Requests with a JSON object that has these members. */
export function withFields(has: (fields: Fields) => boolean): Match {
  return (request) => {
    const fields = parseFields(request)
    return fields !== undefined && has(fields)
  }
}

/** Requests whose body matches as Latin-1 text: the JSON or the form byte for byte. */
export function withBody(pattern: RegExp): Match {
  return ({ body }) => pattern.test(body.toString('latin1'))
}

/** Requests with a matching header field; a missing field is the empty text. */
export function withHeader(name: string, pattern: RegExp): Match {
  return ({ headers }) => pattern.test(headers[name] ?? '')
}

/** Chats that request a stream. */
export const isStreamRequest: Match = withFields(({ stream }) => stream === true)

/** The members of a JSON body. */
export type Fields = Readonly<Record<string, unknown>>

/** Returns the members of the JSON object in a body; undefined if it is not a JSON object. */
export function parseFields({ body }: WireRequest): Fields | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
