import { isUtf8 } from 'node:buffer'
import { isJsonObject } from '../../common/json-object.ts'
import { ERROR_STATUSES, type Operation } from '../../contract/facts.ts'
import { findOperationByPath } from '../requests/classify-request.ts'
import { hasTesterSideError } from '../http/breakdown.ts'
import type { Exchange } from '../http/exchange.ts'
import { findStreamError, hasErrorBody, hasServerError } from '../http/stream-error.ts'
import type { Deviation, Obstacle } from './families.ts'
import type { Expectation, ExpectedStatus } from './expectations.ts'
import type { InvalidRequest, JudgedResponses, Outcome } from './outcome.ts'
import type { RequestDifference } from './request-difference.ts'
import type { MissingEvidence } from './not-tested.ts'
import type { ObservedFact } from './facts.ts'
import type { ResponseParams } from './fact-params.ts'

/*
 * Functions that turn exchanges into an outcome. Import them with `import * as expect`.
 *
 * The level of a requirement limits its possible outcomes. A stated sentence passes, fails or is not testable. A
 * convention passes, warns or is not testable. Unspecified behaviour is observed or not testable.
 *
 * If the target does not serve a valid request, the check is not testable, regardless of the reason. The checks of
 * section 7 report breakdowns (5xx, no response) and statuses outside the table once for all requests.
 */

/** Finds the first deviation of a response from the expectation. Returns undefined if there is none. */
export type DeviationFinder = (response: Exchange) => Deviation | undefined

/** Expectation of every valid request: the target serves it. The specification does not state the success status. */
export const EXPECT_SUCCESS: Expectation = { status: ['2xx'] }

export type { InvalidRequest }

const TABLE_STATUSES: readonly number[] = ERROR_STATUSES.map(({ code }) => code)

/** Minimum ratio of the wait for an invalid request to the time of its control request, as it may be accepted. */
const MIN_UNANSWERED_RATIO = 3

export function getResponseParams(response: Exchange): ResponseParams {
  const { status: actualStatus, error } = response
  if (error !== undefined) return { actualStatus, error: error.kind }
  if (hasErrorBody(response)) return { actualStatus, isErrorInBody: true }
  const isErrorInStream = hasSuccessStatus(response) && findStreamError(response) !== undefined
  return isErrorInStream ? { actualStatus, isErrorInStream } : { actualStatus }
}

/** Like {@link getResponseParams}, for requests whose 2xx response must contain a result. */
export function getResultParams(response: Exchange): ResponseParams {
  const params = getResponseParams(response)
  return lacksResult(response) ? { ...params, lacksResult: true } : params
}

/** Returns whether the target served the request: the response is successful and contains part of a result. */
export function isServed(response: Exchange): boolean {
  return isSuccessful(response) && containsResult(response)
}

/** Returns whether a 2xx response contains no part of a result, so that it shows nothing. */
export function lacksResult(response: Exchange): boolean {
  return isSuccessful(response) && !containsResult(response)
}

/** Returns whether the response is complete, its status is 2xx, and neither its body nor its stream reports an error. */
export function isSuccessful(response: Exchange): boolean {
  return hasSuccessStatus(response) && !hasErrorBody(response) && findStreamError(response) === undefined
}

function hasSuccessStatus({ status, error }: Exchange): boolean {
  return error === undefined && status >= 200 && status < 300
}

export function markNotTestable(obstacle: Obstacle): Outcome {
  return { verdict: 'not-testable', ...obstacle }
}

export function markNoEvidence(missing: MissingEvidence): Outcome {
  return markNotTestable({ code: 'no-evidence', params: { missing } })
}

/** Creates the outcome `fail`: the response violates a sentence of the specification. */
export function fail(expected: Expectation, deviation: Deviation): Outcome {
  return { verdict: 'fail', expected, ...deviation }
}

/** Creates the outcome `pass`: the response meets the expectation. */
export function pass(expected: Expectation, seen?: ObservedFact): Outcome {
  return { verdict: 'pass', expected, code: 'as-expected', params: seen === undefined ? {} : { seen } }
}

/** Creates the outcome `warn`: the response violates a convention, so that the clients of `consequence` fail. */
export function warn(expected: Expectation, deviation: Deviation, consequence: string): Outcome {
  return { verdict: 'warn', expected, consequence, ...deviation }
}

/** Adds the difference between a request and the plain request to an outcome. Keeps an existing difference. */
export function addDifference(difference: RequestDifference, outcome: Outcome): Outcome {
  return { difference, ...outcome }
}

/** Adds the exchange that shows the finding to an outcome. Keeps an existing exchange. */
function addExchange(exchange: Exchange, outcome: Outcome): Outcome {
  return { exchange, ...outcome }
}

/** Describes a response whose status is unexpected or that is incomplete. */
export function describeUnexpected(response: Exchange): Deviation {
  const { status: actualStatus, error } = response
  if (error !== undefined) return { code: 'no-response', params: { actualStatus, error: error.kind } }
  const { isErrorInStream: _reportedByStreamCheck, ...params } = getResultParams(response)
  return { code: 'unexpected-status', params }
}

/** Expects the target to serve a valid request (stated sentence). Fails only after a rejection with 400 or 404. */
export function checkSuccess(response: Exchange): Outcome {
  if (isServed(response)) return pass(EXPECT_SUCCESS, { kind: 'response', ...getResponseParams(response) })
  return isRejected(response)
    ? addExchange(response, fail(EXPECT_SUCCESS, describeUnexpected(response)))
    : markNotServed(response)
}

/** Expects the target to accept a valid key. Fails only after a 401, the only status that concerns the key. */
export function checkAuthorized(response: Exchange): Outcome {
  const isUnauthorized = response.error === undefined && response.status === 401
  return isUnauthorized
    ? addExchange(response, fail(EXPECT_SUCCESS, describeUnexpected(response)))
    : checkResponse(response, EXPECT_SUCCESS)
}

/** Evaluates the response to a valid request by a stated sentence. Deviations fail. */
export function checkResponse(
  response: Exchange,
  expected: Expectation,
  find: DeviationFinder = () => undefined,
): Outcome {
  if (!isSuccessful(response)) return markNotServed(response)
  const deviation = find(response)
  if (deviation !== undefined) return addExchange(response, fail(expected, deviation))
  return isServed(response) ? pass(expected) : markNotServed(response)
}

/** Evaluates the response to a valid request by a convention. Deviations are warnings. */
export function checkConvention(
  response: Exchange,
  expected: Expectation,
  find: DeviationFinder,
  consequence: string,
): Outcome {
  if (!isSuccessful(response)) return markNotServed(response)
  const deviation = find(response)
  if (deviation !== undefined) return addExchange(response, warn(expected, deviation, consequence))
  return isServed(response) ? pass(expected) : markNotServed(response)
}

/** Evaluates the convention that the target serves requests in the form that common clients send. */
export function checkRequestForm(
  response: Exchange,
  { asWellAs: plain }: { readonly asWellAs: Exchange },
  expected: Expectation,
  find: DeviationFinder,
  consequence: string,
): Outcome {
  if (!isServed(plain)) return markNotServed(plain)
  if (isTesterSide(response) || hasServerError(response) || lacksResult(response)) return markNotServed(response)
  return isServed(response)
    ? checkConvention(response, expected, find, consequence)
    : addExchange(response, warn(EXPECT_SUCCESS, describeUnexpected(response), consequence))
}

/** Expects one of `statuses` for an invalid request. It proves nothing if the control request is not served. */
export function checkErrorResponse(
  response: Exchange,
  statuses: number | readonly number[],
  { control, difference }: { readonly control: Exchange; readonly difference: RequestDifference },
): Outcome {
  return checkErrorResponses([{ difference, response }], statuses, { control })
}

/** Expects error responses. `2xx` allows the target to serve the request, and `4xx` any rejection of the request. */
export function checkErrorResponses(
  invalid: readonly InvalidRequest[],
  statuses: ExpectedStatus | readonly ExpectedStatus[],
  { control }: { readonly control: Exchange },
): Outcome {
  const judged = { invalid, statuses: [statuses].flat(), control }
  return { ...judgeErrorResponses(judged), judged }
}

/** Judges responses to invalid requests. `statusesOf` replaces the statuses of the check for single requests. */
export function judgeErrorResponses(
  { invalid, statuses, control }: JudgedResponses,
  statusesOf: (invalid: InvalidRequest) => readonly ExpectedStatus[] = () => statuses,
): Outcome {
  const [first] = invalid
  if (!isServed(control)) {
    const obstacle = markNotTestable({ code: 'control-request-not-served', params: getResponseParams(control) })
    return addExchange(control, { ...obstacle, expected: { status: statuses } })
  }
  const wrong = invalid.filter((one) => !hasAllowedStatus(one.response, statusesOf(one)))
  const mayProveNothing = ({ difference, response }: InvalidRequest): boolean =>
    // The account of the tester has no credits on purpose, so a 402 is the response of the target.
    (isTesterSide(response) && !('account' in difference && response.status === 402)) || isLate(response, control)
  const contradicting = wrong.find((one) => !mayProveNothing(one)) ?? wrong[0]
  if (contradicting !== undefined) {
    const { difference, response } = contradicting
    const expected = { status: statusesOf(contradicting) }
    return mayProveNothing(contradicting)
      ? markNotServed(response)
      : addDifference(difference, addExchange(response, fail(expected, describeInvalid(response, control))))
  }
  const seen = [...new Set(invalid.map(({ response }) => response.status))]
  return pass(
    { status: first === undefined ? statuses : statusesOf(first) },
    { kind: 'error-responses', statuses: seen },
  )
}

/** Returns whether a response is complete and has one of the statuses. */
export function hasAllowedStatus({ status, error }: Exchange, allowed: readonly ExpectedStatus[]): boolean {
  return error === undefined && allowed.some((one) => matchesStatus(status, one))
}

/** Describes the unexpected response to an invalid request. After a timeout, adds how long the suite waited. */
function describeInvalid(response: Exchange, control: Exchange): Deviation {
  const deviation = describeUnexpected(response)
  if (deviation.code !== 'no-response' || deviation.params.error !== 'timeout') return deviation
  const waitedMs = Math.round(response.totalMs)
  return { ...deviation, params: { ...deviation.params, waitedMs, controlMs: Math.round(control.totalMs) } }
}

function matchesStatus(status: number, allowed: ExpectedStatus): boolean {
  if (allowed === '2xx') return status >= 200 && status < 300
  return allowed === '4xx' ? status >= 400 && status < 500 && !isAccountStatus(status) : status === allowed
}

/** Reports the response to a request with unspecified content. `tried` describes the request. */
export function observe(
  response: Exchange,
  {
    tried,
    observe,
  }: { readonly tried?: string; readonly observe?: (response: Exchange) => ObservedFact | undefined } = {},
): Outcome {
  if (isTesterSide(response) || (hasServerError(response) && !hasErrorBody(response))) return markNotServed(response)
  return observeFact(observe?.(response) ?? { kind: 'response', ...getResponseParams(response) }, tried)
}

export function observeFact(seen: ObservedFact, tried?: string): Outcome {
  return {
    verdict: 'observed',
    code: 'observed-response',
    params: tried === undefined ? { seen } : { tried, seen },
  }
}

function markNotServed(response: Exchange): Outcome {
  if (lacksResult(response)) return addExchange(response, markNoEvidence('result'))
  const code = hasServerError(response) ? 'request-broke-down' : 'request-not-served'
  return addExchange(response, markNotTestable({ code, params: getResponseParams(response) }))
}

/** Returns whether the target rejected a valid request with a status that no other check reports as a finding. */
function isRejected({ status, error }: Exchange): boolean {
  return (
    error === undefined && status < 500 && status !== 401 && !isAccountStatus(status) && TABLE_STATUSES.includes(status)
  )
}

/** Returns whether only the tester's account or network can have caused the response. */
function isTesterSide(response: Exchange): boolean {
  return response.error === undefined ? isAccountStatus(response.status) : hasTesterSideError(response)
}

function isAccountStatus(status: number): boolean {
  return status === 429 || status === 402
}

/** Returns whether a target may still have generated a response at the timeout, because it accepted the request. */
function isLate({ error, totalMs }: Exchange, control: Exchange): boolean {
  return error?.kind === 'timeout' && totalMs < MIN_UNANSWERED_RATIO * control.totalMs
}

/** Control characters that text may contain: tab, line feed and carriage return. */
const WHITESPACE_BYTES = new Set([0x09, 0x0a, 0x0d])

/**
 * Returns whether a body contains at least part of a result of its operation. This may be a property of the JSON
 * result, an event of a stream, or binary data for speech. A web page, an empty object and an empty body contain no
 * part of a result, regardless of the status. If the path belongs to no operation, every response counts as a result.
 */
function containsResult({ request, json, body, events }: Exchange): boolean {
  const operation = findOperationByPath(request.path)
  if (operation === undefined) return true
  if (operation === 'speech') return isBinary(body)
  if (operation === 'chat' && events.some(({ data }) => data !== '[DONE]')) return true
  return isJsonObject(json) && RESULT_TESTS[operation](json)
}

/**
 * Tests for properties of the JSON result of each operation, by sections 2.3 to 2.5 and 4.1. JSON that a server sends
 * for every request passes none of them: the list `{"object":"list","data":[]}` is no completion and no image, and an
 * echo of the request is no completion, although both have a `model`.
 */
const RESULT_TESTS: Readonly<
  Record<Exclude<Operation, 'speech'>, (json: Readonly<Record<string, unknown>>) => boolean>
> = {
  models: (json) => 'object' in json || 'data' in json,
  chat: (json) => 'choices' in json || 'usage' in json || json['object'] === 'chat.completion',
  images: (json) => 'created' in json || (Array.isArray(json['data']) && json['data'].length > 0),
  transcriptions: (json) => 'text' in json,
}

function isBinary(bytes: Uint8Array): boolean {
  return !isUtf8(bytes) || bytes.some((byte) => byte < 0x20 && !WHITESPACE_BYTES.has(byte))
}
