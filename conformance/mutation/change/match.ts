import { OPERATIONS, type Operation } from '../../../contract/facts.ts'
import type { ProxiedRequest } from '../proxy-hooks.ts'

export type RequestMatcher = (request: ProxiedRequest) => boolean

/** Matches requests of an operation that `others` match too. */
export function matchOperation(operation: Operation, ...others: readonly RequestMatcher[]): RequestMatcher {
  const { method, path } = OPERATIONS[operation]
  return matchAll((request) => request.method === method && request.target === path, ...others)
}

export function matchAll(...matches: readonly RequestMatcher[]): RequestMatcher {
  return (request) => matches.every((match) => match(request))
}

export function matchNot(match: RequestMatcher): RequestMatcher {
  return (request) => !match(request)
}

/** Condition for the fields of a JSON body: a function, or values that fields must equal. `undefined` means that the field is missing. */
export type FieldCondition = JsonFields | ((fields: JsonFields) => boolean)

export function matchFields(condition: FieldCondition): RequestMatcher {
  return (request) => {
    const fields = parseFields(request)
    if (fields === undefined) return false
    if (typeof condition === 'function') return condition(fields)
    return Object.entries(condition).every(([name, value]) => fields[name] === value)
  }
}

export function matchFieldsOf(operation: Operation, condition: FieldCondition): RequestMatcher {
  return matchOperation(operation, matchFields(condition))
}

/** Matches requests whose body matches the pattern. Decodes the body as Latin-1, so that each byte is one character. */
export function matchBody(pattern: RegExp): RequestMatcher {
  return ({ body }) => pattern.test(body.toString('latin1'))
}

/** Matches requests by a header field. Treats a missing field as an empty string. */
export function matchHeader(name: string, pattern: RegExp): RequestMatcher {
  return ({ headers }) => pattern.test(headers[name] ?? '')
}

/** Matches requests whose JSON body contains `stream: true`. */
export const isStreamRequest: RequestMatcher = matchFields({ stream: true })

export const isChatStream = matchOperation('chat', isStreamRequest)

/** Matches chats whose response is one JSON object. */
export const isCompletionRequest = matchOperation('chat', matchNot(isStreamRequest))

export type JsonFields = Readonly<Record<string, unknown>>

/** Parsed bodies, because the hooks of several mutants parse the same one. */
const parsedBodies = new WeakMap<Buffer, { readonly fields: JsonFields | undefined }>()

/** Parses a request body as a JSON object. Returns undefined if it is not one. */
export function parseFields({ body }: ProxiedRequest): JsonFields | undefined {
  const known = parsedBodies.get(body) ?? { fields: parseObject(body) }
  parsedBodies.set(body, known)
  return known.fields
}

function parseObject(body: Buffer): JsonFields | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
