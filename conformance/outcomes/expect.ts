import { STATUSES } from '../../contract/facts.ts'
import type { Exchange, ExchangeError } from '../http/exchange.ts'
import type { Deviation, Difference, Expectation, Obstacle, Outcome } from './outcome.ts'
import type { ResponseParams, Seen } from './seen.ts'

/*
 * Functions that turn exchanges into an outcome. Imported as `import * as expect`.
 *
 * The level of the requirement limits the outcome. A stated sentence passes, fails or is not testable. A convention
 * passes, warns or is not testable. Unspecified behaviour is observed or not testable; it fails only if the target
 * breaks down (5xx, no response).
 */

/** Finds how a response deviates from the expectation; undefined if it does not. */
export type FindDeviation = (response: Exchange) => Deviation | undefined

/** The expectation of every valid request: it is served. The specification names no status for success. */
export const SERVED: Expectation = { status: ['2xx'] }

/** An invalid request: how it differs from its control request, and the response to it. */
export interface InvalidRequest {
  readonly difference: Difference
  readonly response: Exchange
}

const TABLE_STATUSES: readonly number[] = STATUSES.map(({ code }) => code)

/** Errors of the tester's network, or of limits that the tester set. They prove nothing about the target. */
const TESTER_SIDE_ERRORS: readonly ExchangeError[] = ['budget', 'interrupted', 'refused', 'dns', 'tls', 'too-large']

/** Describes the response for an outcome. */
export function paramsOf({ status, error }: Exchange): ResponseParams {
  return error === undefined ? { actualStatus: status } : { actualStatus: status, error: error.kind }
}

/** True if the response is complete and its status is 2xx. */
export function served({ status, error }: Exchange): boolean {
  return error === undefined && status >= 200 && status < 300
}

/** Outcome of a check that could not be made. */
export function notTestable(obstacle: Obstacle): Outcome {
  return { verdict: 'not-testable', ...obstacle }
}

/** Outcome of a violated sentence. */
export function failed(expected: Expectation, deviation: Deviation): Outcome {
  return { verdict: 'fail', expected, ...deviation }
}

/** Outcome of a confirmed sentence. */
export function passed(expected: Expectation, seen?: Seen): Outcome {
  return { verdict: 'pass', expected, code: 'as-expected', params: seen === undefined ? {} : { seen } }
}

/** Outcome of a convention that is not followed. `consequence` says which client breaks and how. */
export function warned(expected: Expectation, deviation: Deviation, consequence: string): Outcome {
  return { verdict: 'warn', expected, consequence, ...deviation }
}

/** Adds to an outcome how its request differs from the plain one. Keeps a difference that the outcome already has. */
export function about(difference: Difference, outcome: Outcome): Outcome {
  return { difference, ...outcome }
}

/** Returns the deviation of a response with an unexpected status or end. */
export function unexpected(response: Exchange): Deviation {
  const { status, error } = response
  return error === undefined
    ? { code: 'unexpected-status', params: { actualStatus: status } }
    : { code: 'no-response', params: { actualStatus: status, error: error.kind } }
}

/** Expects a valid request to be served (stated sentence). */
export function success(response: Exchange): Outcome {
  if (isTesterSide(response) || isLate(response)) return notServed(response)
  return served(response)
    ? passed(SERVED, { kind: 'response', ...paramsOf(response) })
    : failed(SERVED, unexpected(response))
}

/**
 * Checks a stated sentence about the response to a valid request. If the target rejects the request, the sentence is
 * not testable. A target that breaks down, or uses a status outside the table, fails.
 */
export function holds(response: Exchange, expected: Expectation, find: FindDeviation = () => undefined): Outcome {
  const unserved = whyUnserved(response)
  if (unserved !== undefined) return unserved
  const deviation = find(response)
  return deviation === undefined ? passed(expected) : failed(expected, deviation)
}

/** Checks a convention about the response to a valid request. */
export function keeps(response: Exchange, expected: Expectation, find: FindDeviation, consequence: string): Outcome {
  if (!served(response)) return notServed(response)
  const deviation = find(response)
  return deviation === undefined ? passed(expected) : warned(expected, deviation, consequence)
}

/** Checks the convention that a request form of common clients is served like the plain one. */
export function tolerates(
  response: Exchange,
  { asWellAs: plain }: { readonly asWellAs: Exchange },
  expected: Expectation,
  find: FindDeviation,
  consequence: string,
): Outcome {
  if (!served(plain)) return keeps(plain, expected, find, consequence)
  if (isTesterSide(response)) return notServed(response)
  return served(response)
    ? keeps(response, expected, find, consequence)
    : warned(SERVED, unexpected(response), consequence)
}

/**
 * Expects an error response with one of `statuses` to an invalid request. The control request, which differs in one
 * point, must be served: otherwise the error response may have another reason and proves nothing.
 */
export function errorResponse(
  response: Exchange,
  statuses: number | readonly number[],
  { control, difference }: { readonly control: Exchange; readonly difference: Difference },
): Outcome {
  return errorResponses([{ difference, response }], statuses, { control })
}

/** Expects an error response to each of several invalid requests, which share a control request. */
export function errorResponses(
  invalid: readonly InvalidRequest[],
  statuses: number | readonly number[],
  { control }: { readonly control: Exchange },
): Outcome {
  const allowed = [statuses].flat()
  const expected: Expectation = { status: allowed }
  const fail = ({ difference, response }: InvalidRequest): Outcome =>
    about(difference, failed(expected, unexpected(response)))
  const broken = invalid.find(({ response }) => brokeDown(response) && !(isLate(control) && isLate(response)))
  if (broken !== undefined) return fail(broken)
  const unserved = whyUnserved(control)
  if (unserved !== undefined) {
    return { ...unserved, expected, code: 'control-request-not-served', params: paramsOf(control) }
  }
  for (const one of invalid) {
    const { response } = one
    if (response.error === undefined && allowed.includes(response.status)) continue
    return isTesterSide(response) ? notServed(response) : fail(one)
  }
  const seen = [...new Set(invalid.map(({ response }) => response.status))]
  return passed(expected, { kind: 'error-responses', statuses: seen })
}

/** Reports unspecified behaviour of the target. Only a breakdown fails. `tried` names the request. */
export function observed(
  response: Exchange,
  { tried, see }: { readonly tried?: string; readonly see?: (response: Exchange) => Seen | undefined } = {},
): Outcome {
  if (brokeDown(response)) return failed({ status: ['2xx', '4xx'] }, unexpected(response))
  if (isTesterSide(response)) return notServed(response)
  return saw(see?.(response) ?? { kind: 'response', ...paramsOf(response) }, tried)
}

/** Outcome of observed, unspecified behaviour. */
export function saw(seen: Seen, tried?: string): Outcome {
  return {
    verdict: 'observed',
    code: 'observed-response',
    params: tried === undefined ? { seen } : { tried, seen },
  }
}

/** Returns why a valid request with a valid key was not served; undefined if it was. */
function whyUnserved(response: Exchange): Outcome | undefined {
  if (served(response)) return undefined
  if (isTesterSide(response) || isLate(response)) return notServed(response)
  const isOutsideTable = response.status !== 0 && !TABLE_STATUSES.includes(response.status)
  const isWrong = brokeDown(response) || isOutsideTable || response.status === 401
  return isWrong ? failed(SERVED, unexpected(response)) : notServed(response)
}

function notServed(response: Exchange): Outcome {
  return notTestable({ code: 'request-not-served', params: paramsOf(response) })
}

/** True for a 5xx or an incomplete response, which not even unspecified behaviour allows. */
function brokeDown({ status, error }: Exchange): boolean {
  return error === undefined ? status >= 500 : !TESTER_SIDE_ERRORS.includes(error.kind)
}

/** True for a response that concerns only the tester's account or network. */
function isTesterSide({ status, error }: Exchange): boolean {
  return error === undefined ? status === 429 || status === 402 : TESTER_SIDE_ERRORS.includes(error.kind)
}

/** The specification states no time: a valid request may take longer than the deadline. */
function isLate({ error }: Exchange): boolean {
  return error?.kind === 'timeout'
}
