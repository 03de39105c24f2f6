import type { ModelId, Operation } from '../../../contract/facts.ts'

/**
 * A rule of fault injection: to which requests it applies, how often, and what fails. Files, flags
 * (`operation=chat,times=2,status=500`), the control API and the header `x-touchstone-fault` use the same field names.
 */
export interface FaultRule extends FaultMatch, FaultSelection, FaultAction {}

/** Conditions of a rule, all of which must hold. A rule without conditions matches every valid request. */
export interface FaultMatch {
  /** Account ID, for example `funded`. */
  readonly account?: string
  /** API key. Only its last four characters are shown. */
  readonly key?: string
  readonly operation?: Operation
  readonly model?: ModelId
  /** `name` requires the header field, `name: value` also its value. */
  readonly header?: string
}

/** Selection among the matching requests, counted from 1 in the order of arrival. Default: all. */
export interface FaultSelection {
  /** Selects only the request with this number. */
  readonly ordinal?: number
  /** Skips this many requests. */
  readonly after?: number
  /** Selects every nth of the remaining requests. */
  readonly every?: number
  /**
   * Selects this share of the remaining requests, from 0 to 1. The choice depends on the seed and the request, not on
   * the order of arrival.
   */
  readonly probability?: number
  /** Maximum number of requests to select. */
  readonly times?: number
}

/** The failure. Times are in milliseconds; events and bytes are those of the response body. */
export interface FaultAction {
  /** Responds with this status, from 200 to 599, without processing the request. */
  readonly status?: number
  /**
   * With `status`: the body, sent as JSON unless it is a string. With `errorAfterEvents`: the data of the error event.
   */
  readonly body?: unknown
  /** Additional header fields. */
  readonly headers?: Readonly<Record<string, string>>
  /** Value of the header `retry-after` in seconds. */
  readonly retryAfterSeconds?: number
  /** Media type that replaces the true one. */
  readonly contentType?: string
  /** Delays the whole response, including its header. */
  readonly delayMs?: number
  /** Delays each event by this much more than the one before. */
  readonly gapMs?: number
  /** Closes the connection after this number of events. */
  readonly cutAfterEvents?: number
  /** Closes the connection after this number of bytes of the body. */
  readonly cutAfterBytes?: number
  /** Sends an error event after this number of events, then ends the stream. */
  readonly errorAfterEvents?: number
  /** Sends nothing after this number of events, and keeps the connection open. */
  readonly stallAfterEvents?: number
  /** Truncates this event to half, counted from 1, so that its JSON is invalid. */
  readonly malformedEvent?: number
  /** Repeats the last content event until the client disconnects. */
  readonly neverEnds?: boolean
  /** Closes the connection without a response. */
  readonly drop?: boolean
  /** Resets the connection (TCP RST): without a response, or where `cutAfterEvents` or `cutAfterBytes` closes it. */
  readonly reset?: boolean
}

/** Returns true if a rule needs a stream of events; it matches no other requests then. */
export function requiresStream(rule: FaultAction): boolean {
  const { gapMs, cutAfterEvents, errorAfterEvents, stallAfterEvents, malformedEvent, neverEnds } = rule
  const values = [gapMs, cutAfterEvents, errorAfterEvents, stallAfterEvents, malformedEvent, neverEnds]
  return values.some((value) => value !== undefined)
}

/** Returns true if nothing of the original response is left. */
export function replacesResponse({ status, drop, reset, cutAfterEvents, cutAfterBytes }: FaultAction): boolean {
  if (status !== undefined || drop === true) return true
  return reset === true && cutAfterEvents === undefined && cutAfterBytes === undefined
}

/** A fault rule, or its text form as in a flag: `operation=chat,times=2,status=500`. */
export type FaultInput = FaultRule | string
