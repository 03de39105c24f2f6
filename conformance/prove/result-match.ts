import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { Difference, FindingParams, StreamProblem } from '../outcomes/outcome.ts'
import type { Shown } from '../outcomes/seen.ts'

/** What a check must find: the code, and some of its parameters. */
export interface ResultMatch {
  readonly code: keyof FindingParams
  /**
   * Compared member by member: an object matches where all its members do, an array where it has the same length and all its
   * items match, a regular expression where it matches a text, and `undefined` where the member is missing.
   */
  readonly params?: Readonly<Record<string, unknown>>
}

/** True when a check found this. */
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

/** The match as one line of text, for a report. */
export function describeMatch({ code, params = {} }: ResultMatch): string {
  const json = JSON.stringify(params, (_name, value: unknown) => {
    if (value === undefined) return '(missing)'
    return value instanceof RegExp ? String(value) : value
  })
  return json === '{}' ? code : `${code} ${json}`
}

/** A status that the check does not expect, to the plain request or to one that differs. */
export function unexpectedStatus(actualStatus: number, difference?: Difference): ResultMatch {
  const params = difference === undefined ? { actualStatus } : { actualStatus, difference }
  return { code: 'unexpected-status', params }
}

/** An observation of another status. */
export function observedStatus(actualStatus: number): ResultMatch {
  return { code: 'observed-response', params: { seen: { kind: 'response', actualStatus } } }
}

/** A field of the response that is missing. */
export function missingField(path: string): ResultMatch {
  return { code: 'missing-field', params: { path } }
}

/** A field of the response with a value of another type, e.g. `string`. */
export function wrongType(path: string, actualType: string): ResultMatch {
  return { code: 'wrong-type', params: { path, actualType } }
}

/** A field of the response with another value. */
export function wrongValue(path: string, actual: Shown | RegExp): ResultMatch {
  return { code: 'wrong-value', params: { path, actual } }
}

/** A stream that clients cannot read; `actual` is the value that is wrong. */
export function malformedStream(problem: StreamProblem, ...actual: readonly Shown[]): ResultMatch {
  return { code: 'stream-malformed', params: actual.length === 0 ? { problem } : { problem, actual: actual[0] } }
}
