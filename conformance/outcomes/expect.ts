import { ERROR_STATUSES } from '../../contract/facts.ts'
import { hasBrokenDown, hasTesterSideError } from '../http/breakdown.ts'
import type { Exchange } from '../http/exchange.ts'
import { containsResult } from './contains-result.ts'
import type { Deviation, Difference, Expectation, Obstacle, Outcome, Status } from './outcome.ts'
import type { ResponseParams, ObservedFact } from './observed-facts.ts'

/*
 * Functions that turn exchanges into an outcome. Imported as `import * as expect`.
 *
 * The level of the requirement limits the outcome. A stated sentence passes, fails or is not testable. A convention
 * passes, warns or is not testable. Unspecified behaviour is observed or not testable.
 *
 * A valid request that was not served makes a check not testable, regardless of the reason. The checks of section 7
 * report breakdowns (5xx, no response) and statuses outside the table, once for all requests.
 */

/** Finds how a response deviates from the expectation. Returns undefined if it does not. */
export type FindDeviation = (response: Exchange) => Deviation | undefined

/** The expectation of every valid request: it is served. The specification names no status for success. */
export const EXPECT_SUCCESS: Expectation = { status: ['2xx'] }

/** An invalid request: how it differs from its control request, and the response to it. */
export interface InvalidRequest {
  readonly difference: Difference
  readonly response: Exchange
}

/** Error statuses in the table of section 7. */
const TABLE_STATUSES: readonly number[] = ERROR_STATUSES.map(({ code }) => code)

/**
 * Ratio of an invalid request's duration to that of its control request above which it counts as unanswered. A target
 * that accepts the invalid request may generate a longer response.
 */
const LATE_FACTOR = 3

/** Describes the response for an outcome. */
export function toResponseParams({ status, error }: Exchange): ResponseParams {
  return error === undefined ? { actualStatus: status } : { actualStatus: status, error: error.kind }
}

/** Returns whether the request was served: the response is complete, its status is 2xx, and it contains a result. */
export function isServed(response: Exchange): boolean {
  return hasSuccessStatus(response) && containsResult(response)
}

/**
 * Returns whether a 2xx response contains no part of a result. Such a response does not show whether the request was
 * served.
 */
function lacksResult(response: Exchange): boolean {
  return hasSuccessStatus(response) && !containsResult(response)
}

/** Returns whether the response is complete and its status is 2xx. Ignores the body. */
export function hasSuccessStatus({ status, error }: Exchange): boolean {
  return error === undefined && status >= 200 && status < 300
}

/** Creates the outcome of a check that could not be performed. */
export function notTestable(obstacle: Obstacle): Outcome {
  return { verdict: 'not-testable', ...obstacle }
}

/** Creates the outcome of a violated sentence. */
export function failed(expected: Expectation, deviation: Deviation): Outcome {
  return { verdict: 'fail', expected, ...deviation }
}

/** Creates the outcome of a confirmed sentence. */
export function passed(expected: Expectation, seen?: ObservedFact): Outcome {
  return { verdict: 'pass', expected, code: 'as-expected', params: seen === undefined ? {} : { seen } }
}

/** Creates the outcome of a violated convention. `consequence` states which clients fail, and how. */
export function warned(expected: Expectation, deviation: Deviation, consequence: string): Outcome {
  return { verdict: 'warn', expected, consequence, ...deviation }
}

/** Adds to an outcome how its request differs from the plain one. Keeps a difference that the outcome already has. */
export function withDifference(difference: Difference, outcome: Outcome): Outcome {
  return { difference, ...outcome }
}

/** Adds the exchange that shows the finding. Keeps an exchange that the outcome already has. */
function withExchange(exchange: Exchange, outcome: Outcome): Outcome {
  return { exchange, ...outcome }
}

/** Returns the deviation of a response with an unexpected status or without an end. */
export function describeUnexpected(response: Exchange): Deviation {
  const { status, error } = response
  return error === undefined
    ? { code: 'unexpected-status', params: { actualStatus: status } }
    : { code: 'no-response', params: { actualStatus: status, error: error.kind } }
}

/** Expects a valid request to be served (stated sentence). Only a rejection with 400 or 404 fails. */
export function checkSuccess(response: Exchange): Outcome {
  if (isServed(response)) return passed(EXPECT_SUCCESS, { kind: 'response', ...toResponseParams(response) })
  return isRejected(response)
    ? withExchange(response, failed(EXPECT_SUCCESS, describeUnexpected(response)))
    : notServed(response)
}

/** Expects a valid key to be accepted: only a 401 fails. */
export function checkAuthorized(response: Exchange): Outcome {
  const isUnauthorized = response.error === undefined && response.status === 401
  return isUnauthorized
    ? withExchange(response, failed(EXPECT_SUCCESS, describeUnexpected(response)))
    : checkResponse(response, EXPECT_SUCCESS)
}

/** Checks a stated sentence about the response to a valid request. */
export function checkResponse(
  response: Exchange,
  expected: Expectation,
  find: FindDeviation = () => undefined,
): Outcome {
  if (!hasSuccessStatus(response)) return notServed(response)
  const deviation = find(response)
  if (deviation !== undefined) return withExchange(response, failed(expected, deviation))
  return isServed(response) ? passed(expected) : notServed(response)
}

/** Checks a convention about the response to a valid request. */
export function checkConvention(
  response: Exchange,
  expected: Expectation,
  find: FindDeviation,
  consequence: string,
): Outcome {
  if (!hasSuccessStatus(response)) return notServed(response)
  const deviation = find(response)
  if (deviation !== undefined) return withExchange(response, warned(expected, deviation, consequence))
  return isServed(response) ? passed(expected) : notServed(response)
}

/** Checks the convention that a request form of common clients is served like the plain one. */
export function checkRequestForm(
  response: Exchange,
  { asWellAs: plain }: { readonly asWellAs: Exchange },
  expected: Expectation,
  find: FindDeviation,
  consequence: string,
): Outcome {
  if (!isServed(plain)) return notServed(plain)
  if (isTesterSide(response) || hasBrokenDown(response) || lacksResult(response)) return notServed(response)
  return isServed(response)
    ? checkConvention(response, expected, find, consequence)
    : withExchange(response, warned(EXPECT_SUCCESS, describeUnexpected(response), consequence))
}

/**
 * Expects an error response with one of `statuses` to an invalid request. The control request, which differs in one
 * point, must be served: otherwise the error response may have another reason and proves nothing.
 */
export function checkErrorResponse(
  response: Exchange,
  statuses: number | readonly number[],
  { control, difference }: { readonly control: Exchange; readonly difference: Difference },
): Outcome {
  return checkErrorResponses([{ difference, response }], statuses, { control })
}

/**
 * Expects an error response to each of several invalid requests, which share a control request. `2xx` stands for a
 * request that may also be served, and `4xx` for any rejection that is not about the account.
 */
export function checkErrorResponses(
  invalid: readonly InvalidRequest[],
  statuses: Status | readonly Status[],
  { control }: { readonly control: Exchange },
): Outcome {
  const allowed = [statuses].flat()
  const expected: Expectation = { status: allowed }
  if (!isServed(control)) {
    const obstacle = notTestable({ code: 'control-request-not-served', params: toResponseParams(control) })
    return withExchange(control, { ...obstacle, expected })
  }
  const isAllowed = ({ status, error }: Exchange): boolean =>
    error === undefined && allowed.some((one) => matchesStatus(status, one))
  const wrong = invalid.filter(({ response }) => !isAllowed(response))
  const contradicting = wrong.find(({ response }) => !isTesterSide(response) && !isLate(response, control)) ?? wrong[0]
  if (contradicting !== undefined) {
    const { difference, response } = contradicting
    return isTesterSide(response) || isLate(response, control)
      ? notServed(response)
      : withDifference(difference, withExchange(response, failed(expected, describeUnexpected(response))))
  }
  const seen = [...new Set(invalid.map(({ response }) => response.status))]
  return passed(expected, { kind: 'error-responses', statuses: seen })
}

function matchesStatus(status: number, allowed: Status): boolean {
  if (allowed === '2xx') return status >= 200 && status < 300
  return allowed === '4xx' ? status >= 400 && status < 500 && !isAccountStatus(status) : status === allowed
}

/** Reports unspecified behaviour of the target. `tried` names the request. */
export function observed(
  response: Exchange,
  {
    tried,
    observe,
  }: { readonly tried?: string; readonly observe?: (response: Exchange) => ObservedFact | undefined } = {},
): Outcome {
  if (isTesterSide(response) || hasBrokenDown(response)) return notServed(response)
  return observedFact(observe?.(response) ?? { kind: 'response', ...toResponseParams(response) }, tried)
}

/** Creates an outcome that reports unspecified behaviour. */
export function observedFact(seen: ObservedFact, tried?: string): Outcome {
  return {
    verdict: 'observed',
    code: 'observed-response',
    params: tried === undefined ? { seen } : { tried, seen },
  }
}

/** Creates the outcome of a check whose valid request was not served. */
function notServed(response: Exchange): Outcome {
  if (lacksResult(response)) {
    return withExchange(response, notTestable({ code: 'no-evidence', params: { missing: 'result' } }))
  }
  const code = hasBrokenDown(response) ? 'request-broke-down' : 'request-not-served'
  return withExchange(response, notTestable({ code, params: toResponseParams(response) }))
}

/** Returns true for a rejection of a valid request with a status that no other check reports. */
function isRejected({ status, error }: Exchange): boolean {
  return (
    error === undefined && status < 500 && status !== 401 && !isAccountStatus(status) && TABLE_STATUSES.includes(status)
  )
}

/** Returns whether the cause of the response can only be the tester's account or network. */
function isTesterSide(response: Exchange): boolean {
  return response.error === undefined ? isAccountStatus(response.status) : hasTesterSideError(response)
}

function isAccountStatus(status: number): boolean {
  return status === 429 || status === 402
}

/**
 * Returns whether a timed-out invalid request might still have got a response. The specification states no time, so it
 * may take longer than its control request.
 */
function isLate({ error, totalMs }: Exchange, control: Exchange): boolean {
  return error?.kind === 'timeout' && totalMs < LATE_FACTOR * control.totalMs
}
