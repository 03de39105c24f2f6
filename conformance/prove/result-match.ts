import { type Operation, OPERATIONS } from '../../contract/facts.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { Difference, FindingParams, StreamProblem } from '../outcomes/outcome.ts'
import type { JsonExcerpt } from '../outcomes/seen.ts'

/** Expected finding of a check: the code, and some of its parameters. */
export interface ResultMatch {
  readonly code: keyof FindingParams
  /**
   * Compared recursively. An object matches if all its members match; an array if it has the same length and all items
   * match; a regular expression if it matches a text; `undefined` if the member is missing.
   */
  readonly params?: Readonly<Record<string, unknown>>
}

/** Returns whether a check found this. */
export function matches({ code, params = {} }: ResultMatch, found: Pick<CheckEntry, 'code' | 'params'>): boolean {
  return found.code === code && matchesValue(params, found.params ?? {})
}

function matchesValue(expected: unknown, actual: unknown): boolean {
  if (expected instanceof RegExp) return typeof actual === 'string' && expected.test(actual)
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => matchesValue(item, actual[index]))
    )
  }
  if (typeof expected !== 'object' || expected === null) return Object.is(expected, actual)
  if (typeof actual !== 'object' || actual === null) return false
  return Object.entries(expected).every(([name, member]) => matchesValue(member, Reflect.get(actual, name)))
}

/** Formats the match as one line, for a report. */
export function describeMatch({ code, params = {} }: ResultMatch): string {
  const json = JSON.stringify(params, (_name, value: unknown) => {
    if (value === undefined) return '(missing)'
    return value instanceof RegExp ? String(value) : value
  })
  return json === '{}' ? code : `${code} ${json}`
}

/** An unexpected status, of the plain request or of a different one. */
export function unexpectedStatus(actualStatus: number, difference?: Difference): ResultMatch {
  const params = difference === undefined ? { actualStatus } : { actualStatus, difference }
  return { code: 'unexpected-status', params }
}

/** A breakdown of an operation: its requests got this status, also when they were repeated. */
export function brokenDown(operation: Operation, actualStatus: number): ResultMatch {
  const { method, path } = OPERATIONS[operation]
  return { code: 'requests-broke-down', params: { by: [{ endpoint: `${method} ${path}`, actualStatus }] } }
}

/** An observation of another status. */
export function observedStatus(actualStatus: number): ResultMatch {
  return { code: 'observed-response', params: { seen: { kind: 'response', actualStatus } } }
}

/** A missing field of the response. */
export function missingField(path: string): ResultMatch {
  return { code: 'missing-field', params: { path } }
}

/** A field of the response with another type, e.g. `string`. */
export function wrongType(path: string, actualType: string): ResultMatch {
  return { code: 'wrong-type', params: { path, actualType } }
}

/** A field of the response with another value. */
export function wrongValue(path: string, actual: JsonExcerpt | RegExp): ResultMatch {
  return { code: 'wrong-value', params: { path, actual } }
}

/** A stream that clients cannot parse; `actual` is the wrong value. */
export function malformedStream(problem: StreamProblem, ...actual: readonly JsonExcerpt[]): ResultMatch {
  return { code: 'stream-malformed', params: actual.length === 0 ? { problem } : { problem, actual: actual[0] } }
}
