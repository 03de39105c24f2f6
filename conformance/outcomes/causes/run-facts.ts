import { OPERATIONS, type Operation } from '../../../contract/facts.ts'
import type { CheckEntry } from '../../../reports/conformance-document.ts'
import type { Expectation, FindingParams, Outcome } from '../outcome.ts'
import type { JsonExcerpt, ResponseParams } from '../observed-facts.ts'
import type { CheckFinding } from './finding.ts'
import { findFrequentFlakes } from './flake-causes.ts'
import { ALL_OPERATIONS, formatStatus } from './title-parts.ts'

/** A parameter value in a valid request that the target rejected. */
export interface RejectedValue {
  readonly operation: Operation
  /** Short form of the response, see `formatStatus`. */
  readonly label: string
  readonly parameter: string
  readonly value: JsonExcerpt
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
  /** Flakes that are frequent enough to explain other breakdowns. */
  readonly frequentFlakes: FindingParams['requests-flaked'] | undefined
}

export function collectRunFacts(all: readonly CheckFinding[]): RunFacts {
  const passed = all.filter(({ outcome }) => outcome.verdict === 'pass')
  const keeping = new Map<number, Set<Operation>>()
  for (const { outcome, operation } of passed.filter(isAboutErrorResponse)) {
    for (const status of getErrorStatuses(outcome.expected)) {
      keeping.set(status, (keeping.get(status) ?? new Set()).add(operation))
    }
  }
  const unserved = ALL_OPERATIONS.map((operation): [Operation, string[]] => {
    const responses = all
      .filter((one) => one.operation === operation)
      .flatMap(({ outcome }) => listUnservedResponses(outcome))
    return [operation, [...new Set(responses.map(formatStatus))].toSorted()]
  })
  return {
    conforming: keeping,
    served: new Set(ALL_OPERATIONS.filter((operation) => isServed(all.filter((one) => one.operation === operation)))),
    unserved: new Map(unserved),
    withoutResult: new Set(
      ALL_OPERATIONS.filter(
        (operation) =>
          all.filter((one) => one.operation === operation && hasNoResult(one)).length >= MIN_WITHOUT_RESULT,
      ),
    ),
    rejectedValues: all.flatMap(readRejectedValues),
    frequentFlakes: findFrequentFlakes(all),
    unlisted: all.flatMap(({ outcome }) => (outcome.code === 'models-not-listed' ? outcome.params.missing : [])),
  }
}

function readRejectedValues({ outcome, operation }: CheckFinding): RejectedValue[] {
  const { difference, expected } = outcome
  if (difference === undefined || !('parameter' in difference) || !('value' in difference)) return []
  if (!expectsSuccess(expected)) return []
  if (outcome.code !== 'unexpected-status' && outcome.code !== 'served-only-otherwise') return []
  const { parameter, value } = difference
  return [{ operation, label: formatStatus(outcome.params), parameter, value }]
}

/** Returns whether a check of the error response to an invalid request passed. */
function isAboutErrorResponse({ outcome }: CheckFinding): boolean {
  return outcome.code === 'as-expected' && outcome.params.seen?.kind === 'error-responses'
}

/**
 * Minimum number of checks without a result. From this number on, missing results may explain other findings of the
 * operation.
 */
const MIN_WITHOUT_RESULT = 3

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
 * Returns whether an operation serves valid requests. Tolerates a few rejections, because a target may reject unusual
 * requests.
 */
function isServed(findings: readonly CheckFinding[]): boolean {
  const served = findings.filter(({ entry, operation }) => hasServed(entry, operation))
  const refused = findings.filter(({ outcome }) => listUnservedResponses(outcome).length > 0)
  return served.length > 0 && served.length >= refused.length / MAX_REFUSED_PER_SERVED
}

/**
 * Maximum ratio of rejected to served requests up to which an operation counts as served. Each check counts as one
 * request.
 */
const MAX_REFUSED_PER_SERVED = 5

/** Returns whether the evidence of a check contains a served request to the operation. */
function hasServed({ evidence = [] }: CheckEntry, operation: Operation): boolean {
  const { method, path } = OPERATIONS[operation]
  return evidence.some(
    ({ request, response, error }) =>
      request.method === method &&
      URL.parse(request.url)?.pathname.endsWith(path) === true &&
      error === undefined &&
      response !== null &&
      response.status >= 200 &&
      response.status < 300,
  )
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
