import { type Operation, OPERATIONS } from '../../contract/facts.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { FindingParams } from '../findings/families.ts'
import type { StreamProblem } from '../findings/streams.ts'
import type { RequestDifference } from '../findings/request-difference.ts'
import type { JsonExcerpt } from '../findings/fact-params.ts'

export interface ResultMatch {
  readonly code: keyof FindingParams
  /**
   * Expected parameters, compared recursively:
   * - an object matches if all its properties match;
   * - an array matches if it has the same length and all items match;
   * - a regular expression matches a string;
   * - `undefined` matches a missing property.
   */
  readonly params?: Readonly<Record<string, unknown>>
}

export function matchesResult({ code, params = {} }: ResultMatch, found: Pick<CheckEntry, 'code' | 'params'>): boolean {
  return found.code === code && matchesValue(params, found.params)
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

export function formatMatch({ code, params = {} }: ResultMatch): string {
  const json = JSON.stringify(params, (_name, value: unknown) => {
    if (value === undefined) return '(missing)'
    return value instanceof RegExp ? String(value) : value
  })
  return json === '{}' ? code : `${code} ${json}`
}

/** Matches an unexpected status. `difference` describes how the request differs from the control request. */
export function matchUnexpectedStatus(actualStatus: number, difference?: RequestDifference): ResultMatch {
  const params = difference === undefined ? { actualStatus } : { actualStatus, difference }
  return { code: 'unexpected-status', params }
}

/** Matches the finding of a breakdown check: requests to the operation and their repeats got this status. */
export function matchOperationBreakdown(operation: Operation, actualStatus: number): ResultMatch {
  const { method, path } = OPERATIONS[operation]
  return { code: 'requests-broke-down', params: { by: [{ endpoint: `${method} ${path}`, actualStatus }] } }
}

/** Matches the finding of a valid request that the target serves only in another form. `servedWith` describes that form. */
export function matchServedOtherwise(
  servedWith: RequestDifference,
  actualStatus = 400,
  difference?: RequestDifference,
): ResultMatch {
  const params = { actualStatus, servedWith }
  return { code: 'served-only-otherwise', params: difference === undefined ? params : { ...params, difference } }
}

export function matchObserved(seen: Readonly<Record<string, unknown>>): ResultMatch {
  return { code: 'observed-response', params: { seen } }
}

export function matchObservedStatus(actualStatus: number): ResultMatch {
  return matchObserved({ kind: 'response', actualStatus })
}

export function matchMediaType(actualMediaType: string, difference?: object): ResultMatch {
  const params = difference === undefined ? { actualMediaType } : { actualMediaType, difference }
  return { code: 'unexpected-media-type', params }
}

export function matchWrongCount(path: string, actualCount: number): ResultMatch {
  return { code: 'wrong-count', params: { path, actualCount } }
}

export function matchMissingField(path: string): ResultMatch {
  return { code: 'missing-field', params: { path } }
}

/** Matches the finding of a field with an incorrect JSON type. `actualType` is the received type, e.g. `string`. */
export function matchWrongType(path: string, actualType: string, ...actual: readonly JsonExcerpt[]): ResultMatch {
  const params = { path, actualType }
  return { code: 'wrong-type', params: actual.length === 0 ? params : { ...params, actual: actual[0] } }
}

export function matchWrongValue(path: string, actual: JsonExcerpt | RegExp): ResultMatch {
  return { code: 'wrong-value', params: { path, actual } }
}

/** Matches the finding of a stream that clients cannot parse. `actual` is the incorrect value, if there is one. */
export function matchMalformedStream(problem: StreamProblem, ...actual: readonly JsonExcerpt[]): ResultMatch {
  return { code: 'stream-malformed', params: actual.length === 0 ? { problem } : { problem, actual: actual[0] } }
}
