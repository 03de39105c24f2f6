import type { Exchange } from '../http/exchange.ts'
import { retryAfterMs } from '../http/retry-after.ts'

const LONGEST_SHOWN = 80
/** Milliseconds since 1970 are above this, seconds stay below for the next thousand years. */
const FIRST_VALUE_IN_MS = 1e11

/** The value at a path of a JSON document; undefined where the path leads nowhere. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current: unknown = value
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined
    current = Reflect.get(current, step)
  }
  return current
}

/** The items of an array; nothing for any other value. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A value as a reader of a verdict wants it: JSON, cut short. */
export function show(value: unknown): string {
  const json = value === undefined ? 'nothing' : JSON.stringify(value)
  return json.length > LONGEST_SHOWN ? `${json.slice(0, LONGEST_SHOWN)}…` : json
}

/** True for an object that is no array. */
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for an integer of at least 0. */
export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** What is wrong with a value that should be an integer Unix time in seconds; nothing when it is one. */
export function timestampProblem(name: string, value: unknown): string | undefined {
  if (!isCount(value)) return `${name} is ${show(value)}, not an integer`
  return Number(value) >= FIRST_VALUE_IN_MS ? `${name} is ${show(value)}: milliseconds, not seconds` : undefined
}

/** The media type without parameters, in lower case; empty when there is none. */
export function mediaType(answer: Exchange): string {
  return (answer.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** The seconds that a Retry-After header asks to wait, also by a date; undefined when it is missing or cannot be read. */
export function retryAfterSeconds(answer: Exchange): number | undefined {
  const waitMs = retryAfterMs(answer.headers, Date.now())
  return waitMs === undefined ? undefined : waitMs / 1000
}
