import type { ServedOperationName } from '../../operations/served-operations.ts'

/**
 * A fault rule: conditions on requests, a selection among the matching requests, and an action. Files, flags
 * (`operation=chat,times=2,status=500`), the control API and the header `x-touchstone-fault` use these field names.
 */
export interface FaultRule extends FaultMatch, FaultSelection, FaultAction {}

/**
 * Conditions of a rule. A request matches if it meets all of them. A rule without conditions matches every valid
 * request.
 */
export interface FaultMatch {
  /** Account ID, for example `funded`. */
  readonly account?: string
  /** API key of the request. The control API returns only its fingerprint. */
  readonly key?: string
  readonly operation?: ServedOperationName
  readonly model?: string
  /** Header field that the request must have: `name` for any value, `name: value` for exactly this value. */
  readonly header?: string
}

/** Selection among the matching requests, which are numbered from 1 in order of arrival. Default: all of them. */
export interface FaultSelection {
  /** Selects only the matching request with this number. */
  readonly ordinal?: number
  /** Skips this number of matching requests. */
  readonly after?: number
  /** Selects every nth of the requests that `after` does not skip. */
  readonly every?: number
  /**
   * Selects each request that the other fields allow with this probability, from 0 to 1. The result depends on the seed
   * and the request, not on the order of arrival.
   */
  readonly probability?: number
  /** Maximum number of requests to select. */
  readonly times?: number
}

/**
 * Places at which a response can be lost, in the order in which a response passes them. All places except
 * `connection`, `before-head`, `in-head`, `in-body` and `after-charge` need an event stream.
 */
export const LOSS_PLACES = [
  'connection',
  'before-head',
  'in-head',
  'before-first-token',
  'after-first-token',
  'in-event',
  'in-body',
  'after-charge',
] as const
export type LossPlace = (typeof LOSS_PLACES)[number]

/** Action of a rule. Times are in milliseconds. Numbers of events and bytes refer to the response body. */
export interface FaultAction {
  /** Responds with this status, from 200 to 599, instead of a generated response. Such a response costs no credits. */
  readonly status?: number
  /**
   * With `status`: the response body, sent as JSON unless it is a string. With `errorAfterEvents`: the data of the
   * error event.
   */
  readonly body?: unknown
  /** Header fields to add to the response. */
  readonly headers?: Readonly<Record<string, string>>
  /** Value of the response header `retry-after`, in seconds. */
  readonly retryAfterSeconds?: number
  /** Replaces the media type of the response. */
  readonly contentType?: string
  /** Delays the whole response, including its header fields. */
  readonly delayMs?: number
  /** Adds this delay before every event, in milliseconds. Delays accumulate. */
  readonly itlMs?: number
  /** Closes the connection after this number of events have been sent. */
  readonly cutAfterEvents?: number
  /** Closes the connection after this number of body bytes have been sent. */
  readonly cutAfterBytes?: number
  /** Sends an error event after this number of events, and then ends the stream. */
  readonly errorAfterEvents?: number
  /** Stops sending after this number of events, and keeps the connection open. */
  readonly stallAfterEvents?: number
  /** Number of the event to truncate, counted from 1. The event keeps its first half, so its JSON is invalid. */
  readonly malformedEvent?: number
  /**
   * Repeats the last content event, at most 1,000,000 times. The connection stays open until the client disconnects.
   */
  readonly neverEnds?: boolean
  /**
   * Closes the connection at this place of the response:
   * - `connection`: no response; resets the connection, and the port refuses new connections for `refuseMs`
   * - `before-head`: no response, like `drop`
   * - `in-head`: after half of the status line and header fields
   * - `before-first-token`: after the events before the first content event
   * - `after-first-token`: after the first content event
   * - `in-event`: within the first content event with a multi-byte character, between the bytes of that character; if
   *   there is none, in the middle of the middle content event
   * - `in-body`: after half of the body's bytes or of the stream's events
   * - `after-charge`: no response; at the time when the response would have been complete, and charged completely
   */
  readonly loseAt?: LossPlace
  /**
   * With `loseAt: 'connection'`: time for which the port refuses new connections, in milliseconds of the system clock.
   * Default: 1000. An in-process emulator has no port.
   */
  readonly refuseMs?: number
  /** Closes the connection without a response: the short form of `loseAt: 'before-head'`. */
  readonly drop?: boolean
  /**
   * Resets the connection (TCP RST) without a response. With `loseAt`, `cutAfterEvents` or `cutAfterBytes`, resets it at
   * that place instead of closing it.
   */
  readonly reset?: boolean
}

const STREAM_PLACES: readonly LossPlace[] = ['before-first-token', 'after-first-token', 'in-event']

/**
 * Returns true if the action applies only to event streams. A rule with such an action matches only streamed requests.
 */
export function requiresStream(rule: FaultAction): boolean {
  const { itlMs, cutAfterEvents, errorAfterEvents, stallAfterEvents, malformedEvent, neverEnds, loseAt } = rule
  const values = [itlMs, cutAfterEvents, errorAfterEvents, stallAfterEvents, malformedEvent, neverEnds]
  return values.some((value) => value !== undefined) || (loseAt !== undefined && STREAM_PLACES.includes(loseAt))
}

/** Returns the place at which the action loses the response. Undefined if it does not, or if it has a `cutAfter` field. */
export function getLossPlace({
  loseAt,
  drop,
  reset,
  cutAfterEvents,
  cutAfterBytes,
}: FaultAction): LossPlace | undefined {
  const isReset = reset === true && cutAfterEvents === undefined && cutAfterBytes === undefined
  return loseAt ?? (drop === true || isReset ? 'before-head' : undefined)
}

/** Returns true if the action replaces the whole response, so that the emulator generates and charges none. */
export function replacesResponse(action: FaultAction): boolean {
  const place = getLossPlace(action)
  return action.status !== undefined || place === 'before-head' || place === 'connection'
}

/** A fault rule as an object or in its text form: `operation=chat,times=2,status=500`. */
export type FaultInput = FaultRule | string
