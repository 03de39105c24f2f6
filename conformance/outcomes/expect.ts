import { STATUSES } from '../../contract/facts.ts'
import type { Exchange, ExchangeError } from '../http/exchange.ts'
import type { Deviation, Difference, Expectation, Obstacle, Outcome } from './outcome.ts'
import type { ResponseParams, Seen } from './seen.ts'

/*
 * From exchanges to an outcome. Used as `import * as expect`, so that a check reads as a sentence.
 *
 * What a level allows: a stated sentence passes, fails or is not testable; a convention passes, warns or is not testable;
 * unspecified behaviour is observed, fails only where the target broke down (5xx, no response), or is not testable.
 */

/** Finds what contradicts the expectation in a response; undefined when it holds. */
export type FindDeviation = (response: Exchange) => Deviation | undefined

/** The expectation of every valid request: it is served. The document names no status for success. */
export const SERVED: Expectation = { status: ['2xx'] }

/** An invalid request: how it differs from its control request, and the response to it. */
export interface InvalidRequest {
  readonly difference: Difference
  readonly response: Exchange
}

const TABLE_STATUSES: readonly number[] = STATUSES.map(({ code }) => code)

/** Errors of the tester's network, or of the limits that the tester set. They say nothing about the target. */
const TESTER_SIDE_ERRORS: readonly ExchangeError[] = ['budget', 'interrupted', 'refused', 'dns', 'tls', 'too-large']

/** The response as outcomes name it. */
export function paramsOf({ status, error }: Exchange): ResponseParams {
  return error === undefined ? { actualStatus: status } : { actualStatus: status, error: error.kind }
}

/** True when the response is whole and its status is 2xx. */
export function served({ status, error }: Exchange): boolean {
  return error === undefined && status >= 200 && status < 300
}

/** The check could not be made. */
export function notTestable(obstacle: Obstacle): Outcome {
  return { verdict: 'not-testable', ...obstacle }
}

/** The sentence is contradicted. */
export function failed(expected: Expectation, deviation: Deviation): Outcome {
  return { verdict: 'fail', expected, ...deviation }
}

/** The sentence held. */
export function passed(expected: Expectation, seen?: Seen): Outcome {
  return { verdict: 'pass', expected, code: 'as-expected', params: seen === undefined ? {} : { seen } }
}

/** A convention is not kept; `consequence` says which client breaks and how. */
export function warned(expected: Expectation, deviation: Deviation, consequence: string): Outcome {
  return { verdict: 'warn', expected, consequence, ...deviation }
}

/** The same outcome, about a request that differs from the plain one. An outcome about one such request stays. */
export function about(difference: Difference, outcome: Outcome): Outcome {
  return { difference, ...outcome }
}

/** The deviation of a response whose status or end is not the expected one. */
export function unexpected(response: Exchange): Deviation {
  const { status, error } = response
  return error === undefined
    ? { code: 'unexpected-status', params: { actualStatus: status } }
    : { code: 'no-response', params: { actualStatus: status, error: error.kind } }
}

/** A stated sentence about a valid request: it is served. */
export function success(response: Exchange): Outcome {
  if (isTesterSide(response) || isLate(response)) return notServed(response)
  return served(response)
    ? passed(SERVED, { kind: 'response', ...paramsOf(response) })
    : failed(SERVED, unexpected(response))
}

/**
 * A stated sentence about the response to a valid request. A target that rejects the request says nothing about the
 * sentence (not testable); one that breaks down or leaves the table of statuses fails.
 */
export function holds(response: Exchange, expected: Expectation, find: FindDeviation = () => undefined): Outcome {
  const unserved = whyUnserved(response)
  if (unserved !== undefined) return unserved
  const deviation = find(response)
  return deviation === undefined ? passed(expected) : failed(expected, deviation)
}

/** A convention about the response to a valid request. */
export function keeps(response: Exchange, expected: Expectation, find: FindDeviation, consequence: string): Outcome {
  if (!served(response)) return notServed(response)
  const deviation = find(response)
  return deviation === undefined ? passed(expected) : warned(expected, deviation, consequence)
}

/** A convention about a request in a form that common clients send: it is served as well as the plain one. */
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
 * An invalid request gets an error response with one of `statuses`. The control request, one difference apart, has to be
 * served: otherwise the error response may have another reason and proves nothing.
 */
export function errorResponse(
  response: Exchange,
  statuses: number | readonly number[],
  { control, difference }: { readonly control: Exchange; readonly difference: Difference },
): Outcome {
  return errorResponses([{ difference, response }], statuses, { control })
}

/** The same for several invalid requests, of which each has to get the error response; they share a control request. */
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

/** Unspecified behaviour: reports what the target does. Only a breakdown fails. `tried` names the request. */
export function observed(
  response: Exchange,
  { tried, see }: { readonly tried?: string; readonly see?: (response: Exchange) => Seen | undefined } = {},
): Outcome {
  if (brokeDown(response)) return failed({ status: ['2xx', '4xx'] }, unexpected(response))
  if (isTesterSide(response)) return notServed(response)
  return saw(see?.(response) ?? { kind: 'response', ...paramsOf(response) }, tried)
}

/** Unspecified behaviour, as it was seen. */
export function saw(seen: Seen, tried?: string): Outcome {
  return {
    verdict: 'observed',
    code: 'observed-response',
    params: tried === undefined ? { seen } : { tried, seen },
  }
}

/** Why a valid request with a valid key was not served; undefined when it was. */
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

/** A 5xx or no whole response: behaviour that the document leaves open does not include it. */
function brokeDown({ status, error }: Exchange): boolean {
  return error === undefined ? status >= 500 : !TESTER_SIDE_ERRORS.includes(error.kind)
}

/** True for a response that says something about the tester's account or network only. */
function isTesterSide({ status, error }: Exchange): boolean {
  return error === undefined ? status === 429 || status === 402 : TESTER_SIDE_ERRORS.includes(error.kind)
}

/** The document states no time: a valid request may take longer than the deadline. */
function isLate({ error }: Exchange): boolean {
  return error?.kind === 'timeout'
}
