import type { ModelId, Operation } from '../../../contract/facts.ts'

/**
 * One rule of a fault script: which requests, which of them, and what happens. The same names are used in a file, in a
 * flag (`operation=chat,times=2,status=500`), at the control interface and in the header `x-touchstone-fault`.
 */
export interface FaultRule extends FaultMatch, FaultSelection, FaultAction {}

/** Which requests a rule is for: all that are named must hold; none named: every valid request. */
export interface FaultMatch {
  /** Account ID, for example `funded`. */
  readonly account?: string
  /** API key. Shown by its last four characters only. */
  readonly key?: string
  readonly operation?: Operation
  readonly model?: ModelId
  /** `name` for a request with that header field, `name: value` for that very value. */
  readonly header?: string
}

/** Which of the requests that match, counted from 1 in order of arrival. None named: all of them. */
export interface FaultSelection {
  /** The request with this number alone. */
  readonly ordinal?: number
  /** Leaves the first ones alone. */
  readonly after?: number
  /** Of those that are left, every nth. */
  readonly every?: number
  /** Of those that are left, this share from 0 to 1, drawn from the seed and the request and not from the order of arrival. */
  readonly probability?: number
  /** Stops after so many. */
  readonly times?: number
}

/** What happens. Milliseconds; events and bytes are those of the answer's body. */
export interface FaultAction {
  /** Answers with this status from 200 to 599, before any work is done. */
  readonly status?: number
  /** With `status`: the body, JSON unless it is a string. With `errorAfterEvents`: the data of that event. */
  readonly body?: unknown
  /** Header fields on top. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sends `retry-after` with so many seconds. */
  readonly retryAfterSeconds?: number
  /** Says that the body is of this media type, which it is not. */
  readonly contentType?: string
  /** Waits before the answer, header fields included. */
  readonly delayMs?: number
  /** Waits so much longer before each event than before the last one. */
  readonly gapMs?: number
  /** Breaks the connection off after so many events. */
  readonly cutAfterEvents?: number
  /** Breaks the connection off after so many bytes of the body. */
  readonly cutAfterBytes?: number
  /** After so many events sends one with an error, and ends in order. */
  readonly errorAfterEvents?: number
  /** After so many events sends nothing more, and keeps the connection open. */
  readonly stallAfterEvents?: number
  /** Cuts this event, counted from 1, in half: its JSON cannot be read. */
  readonly malformedEvent?: number
  /** Repeats the last piece of the answer for as long as the client listens. */
  readonly neverEnds?: boolean
  /** Closes the connection without an answer. */
  readonly drop?: boolean
  /** Resets the connection (TCP RST): without an answer, or where `cutAfterEvents` or `cutAfterBytes` break it off. */
  readonly reset?: boolean
}

/** Tells whether a rule needs an answer of events: others than streamed ones do not match it. */
export function requiresStream(rule: FaultAction): boolean {
  const { gapMs, cutAfterEvents, errorAfterEvents, stallAfterEvents, malformedEvent, neverEnds } = rule
  const given = [gapMs, cutAfterEvents, errorAfterEvents, stallAfterEvents, malformedEvent, neverEnds]
  return given.some((value) => value !== undefined)
}

/** Tells whether a rule leaves nothing of the service's own answer. */
export function replacesResponse({ status, drop, reset, cutAfterEvents, cutAfterBytes }: FaultAction): boolean {
  if (status !== undefined || drop === true) return true
  return reset === true && cutAfterEvents === undefined && cutAfterBytes === undefined
}
