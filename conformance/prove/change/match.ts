import { OPERATIONS, type Operation } from '../../../contract/facts.ts'
import type { WireRequest } from '../wire.ts'

/** Selects the requests that a mutant changes. */
export type Match = (request: WireRequest) => boolean

/** Well-formed requests to an operation, by method and path. */
export function to(operation: Operation): Match {
  const { method, path } = OPERATIONS[operation]
  return (request) => request.method === method && request.target === path
}

/** Requests that all of these select. */
export function all(...matches: readonly Match[]): Match {
  return (request) => matches.every((match) => match(request))
}

/** Requests that this one does not select. */
export function not(match: Match): Match {
  return (request) => !match(request)
}

/** Requests whose JSON body is an object with such members. */
export function withFields(has: (fields: Fields) => boolean): Match {
  return (request) => {
    const fields = fieldsOf(request)
    return fields !== undefined && has(fields)
  }
}

/** Requests whose body, read as Latin-1 text, matches: what the JSON or the form looks like, byte for byte. */
export function withBody(pattern: RegExp): Match {
  return ({ body }) => pattern.test(body.toString('latin1'))
}

/** Requests with a header field like this; a missing field is the empty text. */
export function withHeader(name: string, pattern: RegExp): Match {
  return ({ headers }) => pattern.test(headers[name] ?? '')
}

/** Chats that request a stream. */
export const asStream: Match = withFields(({ stream }) => stream === true)

/** The members of a JSON body. */
export type Fields = Readonly<Record<string, unknown>>

/** The members of the JSON object in a body; undefined when it holds none. */
export function fieldsOf({ body }: WireRequest): Fields | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
