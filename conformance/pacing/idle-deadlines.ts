import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'

/** Lower bound of every deadline once the target has responded. */
const MIN_DEADLINE_MS = 20_000
/** Deadline while the target has not responded at all: the first request lists the models, which generates nothing. */
const FIRST_CONTACT_MS = 10_000
/** Deadline of a repeated request while the target has not responded at all. */
const FIRST_CONTACT_REPEAT_MS = 15_000
/** Lower bound for operations that generate content, until the target has sent `FEW_RESPONSES` responses. */
const MIN_FIRST_DEADLINE_MS = 60_000
const FEW_RESPONSES = 5
/**
 * Ratio of the deadline to the longest response so far. The longest response of a run is often several times the
 * median.
 */
const FACTOR = 8
/** Ratio of the deadline of a repeated request to its first deadline. */
const REPEAT_FACTOR = 3

/** Share of the upper bound within which the first chat of a run must get a response: 60 s by default. */
const FIRST_CHAT_SHARE = 0.5
/** Share of the deadline of a first response after which the request is sent a second time, in parallel. */
const SECOND_TRY_SHARE = 1 / 3

/** Deadlines of the first request to an operation, in milliseconds from the start of its first try. */
export interface FirstResponseDeadline {
  readonly totalMs: number
  readonly secondTryMs: number
}

interface Responses {
  count: number
  longestMs: number
}

/**
 * Calculates the idle deadline of requests: the time without a received byte after which the suite aborts a request.
 * The specification states no time, so the deadline depends on the recorded response times of the operation. It is at
 * least 20 s once the target has responded, and at most the deadline that the tester sets.
 */
export class IdleDeadlines {
  readonly #ceilingMs: number
  readonly #responses = new Map<Operation | undefined, Responses>()

  /**
   * Creates deadlines for a target that has not responded yet.
   * @param ceilingMs upper bound of a request's duration, set by the tester
   */
  constructor(ceilingMs: number) {
    this.#ceilingMs = ceilingMs
  }

  /** Records a response. Error responses are not recorded, because they arrive sooner than results. */
  record(operation: Operation | undefined, { status, error, totalMs }: Exchange): void {
    if (status === 0) return
    const known = this.#responses.get(operation) ?? { count: 0, longestMs: 0 }
    const isServed = error === undefined && status < 300
    this.#responses.set(operation, {
      count: known.count + (isServed ? 1 : 0),
      longestMs: isServed ? Math.max(known.longestMs, totalMs) : known.longestMs,
    })
  }

  /** Returns whether the target has responded to any request. */
  get hasAnyResponse(): boolean {
    return this.#responses.size > 0
  }

  /** Returns whether the target has responded to a request of the operation. */
  hasResponded(operation: Operation): boolean {
    return this.#responses.has(operation)
  }

  /**
   * Returns the deadline of a request to an operation that generates content and has not responded yet. Undefined for
   * other operations, and if the tester sets a short deadline. The two tries of the request overlap, so that a target
   * that never responds is detected in about a minute. Chat has a shorter deadline than images and audio, which take
   * longer to generate.
   */
  firstResponse(operation: Operation | undefined): FirstResponseDeadline | undefined {
    const generates = operation !== undefined && operation !== 'models'
    if (!generates || this.hasResponded(operation)) return undefined
    const totalMs = this.#ceilingMs * (operation === 'chat' ? FIRST_CHAT_SHARE : 1)
    return totalMs < MIN_FIRST_DEADLINE_MS ? undefined : { totalMs, secondTryMs: totalMs * SECOND_TRY_SHARE }
  }

  /**
   * Returns the idle deadline in milliseconds. It can grow while the request is in progress.
   * @param isRepeat true for a request that has timed out before
   */
  idleMs(operation: Operation | undefined, isRepeat: boolean): number {
    const { count, longestMs } = this.#responses.get(operation) ?? { count: 0, longestMs: 0 }
    if (!this.hasAnyResponse) return Math.min(this.#ceilingMs, isRepeat ? FIRST_CONTACT_REPEAT_MS : FIRST_CONTACT_MS)
    const generates = operation !== undefined && operation !== 'models'
    const floorMs = generates && count < FEW_RESPONSES ? MIN_FIRST_DEADLINE_MS : MIN_DEADLINE_MS
    const firstMs = Math.max(floorMs, FACTOR * longestMs)
    return Math.min(this.#ceilingMs, isRepeat ? firstMs * REPEAT_FACTOR : firstMs)
  }
}
