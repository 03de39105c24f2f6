import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import type { InvalidRequestGroup } from '../requests/invalid-request-group.ts'

interface FirstDeadlines {
  /** Minimum idle deadline, in milliseconds. */
  readonly minimumMs: number
  /** Ratio of the deadline to the longest response of the operation so far. */
  readonly factor: number
  /** Ratio of a repeated request's deadline to the deadline of the first attempt. */
  readonly repeatFactor: number
}

/** Deadlines of an invalid request. An error response requires no generation. */
const OF_INVALID: FirstDeadlines = { minimumMs: 10_000, factor: 4, repeatFactor: 3 }
/** Deadlines of a request whose treatment is unspecified. The target may generate a long response. */
const OF_UNSPECIFIED: FirstDeadlines = { minimumMs: 20_000, factor: 8, repeatFactor: 1.5 }
/** Minimum idle deadlines after requests of the same group got no response even when repeated, in milliseconds. */
const KNOWN_DEADLINES_MS = { few: 5000, many: 2000 } as const
/**
 * Number of error responses that the target must have sent before these minimum deadlines apply. Fewer responses
 * do not show how long the target takes to send an error.
 */
const MIN_ERRORS_SEEN = 3
/** Number of such requests after which both attempts of further ones have the shortest deadline. */
const MANY_UNANSWERED = 3
/** Minimum ratio of these deadlines to the longest error response, because a target may delay errors on purpose. */
const ERROR_FACTOR = 2
/**
 * Ratio of these deadlines to the average response, or to the longest one for an unspecified request. A request counts
 * as a request without a response only if it took three times as long as its control request.
 */
const KNOWN_FACTOR = 4

export interface SentInvalidRequest {
  /** Undefined for an unknown endpoint. */
  readonly operation: Operation | undefined
  readonly group: InvalidRequestGroup
  readonly isRepeat: boolean
}

interface Responses {
  readonly count: number
  readonly totalMs: number
  readonly longestMs: number
}

/**
 * Calculates idle deadlines of invalid and unspecified requests. A target that never responds to them fails, so the
 * first deadlines of a group are long enough for a slow target: they depend on the longest response of the operation.
 * If a request of the group got no response even when repeated, the deadlines of the others are short. Otherwise, each of
 * them would delay the run by two long deadlines.
 */
export class InvalidRequestDeadlines {
  readonly #ceilingMs: number
  /** Durations of responses. Includes error responses, because a target may delay them. */
  readonly #responses = new Map<Operation | undefined, Responses>()
  readonly #unanswered = new Map<InvalidRequestGroup, number>()
  #longestErrorMs = 0
  #errors = 0

  /** @param ceilingMs maximum duration of a request in milliseconds, set by the tester */
  constructor(ceilingMs: number) {
    this.#ceilingMs = ceilingMs
  }

  /** Records a response of any kind. */
  record(operation: Operation | undefined, { status, error, totalMs }: Exchange): void {
    if (status === 0 || error !== undefined) return
    if (status >= 400) {
      this.#errors += 1
      this.#longestErrorMs = Math.max(this.#longestErrorMs, totalMs)
    }
    const known = this.#responses.get(operation) ?? NO_RESPONSES
    this.#responses.set(operation, merge(known, { count: 1, totalMs, longestMs: totalMs }))
  }

  /** Records that the last attempt of an invalid request got no response in time. */
  recordUnanswered(group: InvalidRequestGroup): void {
    this.#unanswered.set(group, (this.#unanswered.get(group) ?? 0) + 1)
  }

  /** Returns the idle deadline in milliseconds. It can change while the request is in progress. */
  idleMs({ operation, group, isRepeat }: SentInvalidRequest): number {
    const { count, totalMs, longestMs } = this.#responsesTo(operation)
    const unanswered = this.#unanswered.get(group) ?? 0
    if (unanswered >= MANY_UNANSWERED || (unanswered > 0 && !isRepeat)) {
      const knownMs = unanswered >= MANY_UNANSWERED ? KNOWN_DEADLINES_MS.many : KNOWN_DEADLINES_MS.few
      const minimumMs = this.#errors >= MIN_ERRORS_SEEN ? knownMs : OF_INVALID.minimumMs
      const usualMs = group === 'unspecified' ? longestMs : totalMs / Math.max(1, count)
      return Math.min(this.#ceilingMs, Math.max(minimumMs, KNOWN_FACTOR * usualMs, ERROR_FACTOR * this.#longestErrorMs))
    }
    const first = group === 'unspecified' ? OF_UNSPECIFIED : OF_INVALID
    const firstMs = Math.max(first.minimumMs, first.factor * longestMs)
    return Math.min(this.#ceilingMs, isRepeat ? firstMs * first.repeatFactor : firstMs)
  }

  /** Returns the responses to an operation, or those to all operations for an unknown endpoint. */
  #responsesTo(operation: Operation | undefined): Responses {
    return operation === undefined
      ? [...this.#responses.values()].reduce(merge, NO_RESPONSES)
      : (this.#responses.get(operation) ?? NO_RESPONSES)
  }
}

const NO_RESPONSES: Responses = { count: 0, totalMs: 0, longestMs: 0 }

function merge(one: Responses, other: Responses): Responses {
  return {
    count: one.count + other.count,
    totalMs: one.totalMs + other.totalMs,
    longestMs: Math.max(one.longestMs, other.longestMs),
  }
}
