import type { Operation } from '../../../contract/facts.ts'
import type { Expectation, ExpectationRule, FindingParams, Outcome } from '../outcome.ts'
import type { JsonExcerpt, ResponseParams } from '../observed-facts.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'
import { formatStatus } from './title-parts.ts'

/** A parameter value in a valid request that the target rejected. */
export interface RejectedValue {
  readonly operation: Operation
  /** Short form of the response, see `formatStatus`. */
  readonly label: string
  readonly parameter: string
  readonly value: JsonExcerpt
  /** Model that serves the same request only without the parameter, if any. */
  readonly unsupportedBy?: string
}

export interface RunFacts {
  /** Operations that reject invalid requests as specified, by error status. */
  readonly conforming: ReadonlyMap<number, ReadonlySet<Operation>>
  /** Operations that serve valid requests, apart from a few rejections. */
  readonly served: ReadonlySet<Operation>
  /** Distinct responses to the valid requests that the target did not serve, by operation and in sorted order. */
  readonly unserved: ReadonlyMap<Operation, readonly string[]>
  /** Operations that respond to valid requests with a 2xx status but no result. */
  readonly withoutResult: ReadonlySet<Operation>
  readonly rejectedValues: readonly RejectedValue[]
  /** IDs of specified or declared models that the target does not list. */
  readonly unlisted: readonly string[]
  /** Whether the plain requests that the target did not serve name a model that it lists. */
  readonly rejectsListed: boolean
  /** Whether the target returns the same response to a valid chat and to a request to an unknown endpoint. */
  readonly lacksChatEndpoint: boolean
  /** Whether a request ID identifies a response. */
  readonly hasRequestIds: boolean
  /** Whether the target returns image URLs outside {base_url}/v1/images/. */
  readonly hasImagesElsewhere: boolean
  /** Cause of truncated streams, if the target truncated some streams of the run and completed others. */
  readonly truncatedStreams: PossibleCause | undefined
  /** Flakes that are frequent enough to explain other breakdowns. */
  readonly frequentFlakes: FindingParams['requests-flaked'] | undefined
}

export function isRule({ expected }: Outcome, rule: ExpectationRule): boolean {
  return expected !== undefined && 'rule' in expected && expected.rule === rule
}

/** Returns whether the request of a check got a 2xx status without a result. */
export function hasNoResult({ outcome }: CheckFinding): boolean {
  if (outcome.code === 'no-evidence') return outcome.params.missing === 'result'
  const isUnserved = outcome.code === 'control-request-not-served' || outcome.code === 'request-not-served'
  return isUnserved && formatStatus(outcome.params) === '2xx'
}

export function getErrorStatuses(expected: Expectation | undefined): number[] {
  if (expected === undefined || !('status' in expected) || 'sdkError' in expected) return []
  return expected.status.filter((status) => typeof status === 'number')
}

/**
 * Codes of responses that do not reject the request: results, and responses for which the tester's account, network or
 * limits are responsible.
 */
const NOT_REJECTED: ReadonlySet<string> = new Set([
  '2xx',
  '402',
  '429',
  'spend-limit',
  'interrupted',
  'refused',
  'dns',
  'tls',
  'http-version',
  'not-tls',
  'too-large',
])

/** Returns the responses to valid plain requests that the target did not serve. */
export function listUnservedResponses(outcome: Outcome): ResponseParams[] {
  return responsesToValid(outcome).filter((response) => !NOT_REJECTED.has(formatStatus(response)))
}

/**
 * Returns whether a finding concerns statuses outside the table of section 7, in response to valid requests of the run.
 */
export function concernsValidRequests({ code, difference, expected }: Outcome): boolean {
  const isOfSeveral = difference !== undefined && 'of' in difference
  return code === 'unexpected-status' && isOfSeveral && expectsSuccess(expected)
}

function responsesToValid(outcome: Outcome): ResponseParams[] {
  if (outcome.code === 'unexpected-status' && concernsValidRequests(outcome)) return [outcome.params]
  if (outcome.difference !== undefined) return []
  switch (outcome.code) {
    case 'request-broke-down':
    case 'request-not-served':
    case 'control-request-not-served':
    case 'operation-broke-down':
      return [outcome.params]
    case 'unexpected-status':
    case 'no-response':
      return expectsSuccess(outcome.expected) ? [outcome.params] : []
    case 'requests-broke-down':
      return [...outcome.params.by]
    case 'rejected-in-all-forms':
      return [...outcome.params.responses]
    case 'no-model-found':
      return outcome.params.responses.flatMap(readResponse)
    default:
      return []
  }
}

export function expectsSuccess(expected: Expectation | undefined): boolean {
  return expected !== undefined && 'status' in expected && !('sdkError' in expected) && expected.status.includes('2xx')
}

/**
 * Parses the status of a response that model discovery recorded. Returns an empty array if discovery recorded the kind
 * of an error.
 */
function readResponse(text: string): ResponseParams[] {
  return /^\d{3}$/.test(text) ? [{ actualStatus: Number(text) }] : []
}
