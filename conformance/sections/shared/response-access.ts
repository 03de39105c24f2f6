import { parseRequestJson } from '../../http/request-body.ts'
import type { Exchange } from '../../http/exchange.ts'
import { parseRetryAfterMs } from '../../http/retry-after.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'

/** Returns the value at a path of a JSON value, or undefined if the path does not exist. */
export function getMember(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current: unknown = value
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined
    current = Reflect.get(current, step)
  }
  return current
}

/** Returns the items of an array, or an empty array for any other value. */
export function getItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns true for an object that is not an array. */
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Returns whether a value is an integer of at least 0. */
export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Returns `usage.completion_tokens`, unless it is no count, or 0 although the completion contains text. */
export function getCompletionTokens(json: unknown): number | undefined {
  const tokens = getMember(json, 'usage', 'completion_tokens')
  const content = getMember(json, 'choices', 0, 'message', 'content')
  if (!isCount(tokens) || (tokens === 0 && typeof content === 'string' && content !== '')) return undefined
  return Number(tokens)
}

/** Returns the media type without parameters, in lower case. Returns an empty string if there is none. */
export function getMediaType(response: Exchange): string {
  return (response.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Parses the Retry-After header, which contains seconds or a date, into the remaining seconds. */
export function parseRetryAfterSeconds(response: Exchange): number | undefined {
  const waitMs = parseRetryAfterMs(response.headers)
  return waitMs === undefined ? undefined : waitMs / 1000
}

/** Returns the parsed JSON of a request body. Returns undefined if there is none. */
export function getRequestJson({ request: { body } }: Pick<Exchange, 'request'>): unknown {
  return body === undefined ? undefined : parseRequestJson(body)
}

export function getRequestText({ request }: Pick<Exchange, 'request'>): string {
  return Buffer.from(request.body ?? []).toString('utf8')
}

/** Returns the model that a request names in its form or its JSON body. The value can have any type. */
export function getRequestedModel({ form, exchange }: Pick<LoggedExchange, 'form' | 'exchange'>): unknown {
  return form?.['model'] ?? getMember(getRequestJson(exchange), 'model')
}
