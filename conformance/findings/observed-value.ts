import { isDeepStrictEqual } from 'node:util'
import type { ObservedFact } from './facts.ts'
import type { JsonExcerpt } from './fact-params.ts'

/** Value that a target file can declare: `"accepted"`, `{ "rejected": 404 }`, or plain JSON. */
export type ObservedValue = JsonExcerpt

/** Facts about error responses. Their value is the content of the response rather than its status. */
const ABOUT_ERRORS: ReadonlySet<ObservedFact['kind']> = new Set(['error-body', 'header', 'challenge'])

/** Returns the value of an observation. A fact with a status has the value `accepted` or `rejected`. */
export function getObservedValue(fact: ObservedFact): ObservedValue {
  if ('actualStatus' in fact && !ABOUT_ERRORS.has(fact.kind)) {
    const { actualStatus } = fact
    return actualStatus >= 200 && actualStatus < 300 ? 'accepted' : { rejected: actualStatus }
  }
  const { kind, ...members } = fact
  const json: { readonly [name: string]: JsonExcerpt } = JSON.parse(JSON.stringify(members))
  const [only, ...others] = Object.values(json)
  if (only === undefined) return kind
  return others.length === 0 ? only : json
}

/** Returns whether a value is as declared. The declared value `rejected` matches every status. */
export function matchesDeclaredValue(declared: ObservedValue, value: ObservedValue): boolean {
  return isDeepStrictEqual(declared, value) || (declared === 'rejected' && getRejection(value) !== undefined)
}

/** Returns the status of a rejection. Returns undefined for other values. */
export function getRejection(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null || !('rejected' in value)) return undefined
  return typeof value.rejected === 'number' ? value.rejected : undefined
}

/** Formats a value for the report, e.g. `accepted`, `rejected with 404` or `{"images":2}`. */
export function describeValue(value: ObservedValue): string {
  const status = getRejection(value)
  if (status !== undefined) return `rejected with ${status}`
  return typeof value === 'string' ? value : JSON.stringify(value)
}
