import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'

/** Minimum of every deadline after the first response of the target, in milliseconds. */
const MIN_DEADLINE_MS = 20_000
/**
 * Deadline before the first response of the target, in milliseconds. It is short because the first request is for the
 * list of models, which requires no generation.
 */
const FIRST_CONTACT_MS = 10_000
/** Deadline of a repeated request before the first response of the target, in milliseconds. */
const FIRST_CONTACT_REPEAT_MS = 15_000
/**
 * Minimum deadline of operations that generate content, in milliseconds. Applies until the operation has served
 * `FEW_RESPONSES` requests.
 */
const MIN_FIRST_DEADLINE_MS = 60_000
const FEW_RESPONSES = 5
/**
 * Ratio of the deadline to the longest response of the operation so far. The longest response of a run often takes
 * several times the median.
 */
const FACTOR = 8
/** Ratio of a repeated request's deadline to the deadline of the first attempt. */
const REPEAT_FACTOR = 3

/** Deadline of the first chat of a run, as a fraction of the maximum deadline. By default, this is 60 s. */
const FIRST_CHAT_SHARE = 0.5
/** Fraction of the first response's deadline after which the engine sends the request again in parallel. */
const SECOND_ATTEMPT_SHARE = 1 / 3

/** Deadlines of the first request to an operation, in milliseconds since the start of its first attempt. */
export interface FirstResponseDeadline {
  readonly totalMs: number
  readonly secondAttemptMs: number
}

interface Responses {
  count: number
  longestMs: number
}

/**
 * Calculates idle deadlines: the time without a received byte after which the suite aborts a request. The specification
 * states no deadline, so this time depends on the measured response times of the operation. After the first response of
 * the target, it is at least 20 s, unless the tester sets a shorter maximum.
 */
export class IdleDeadlines {
  readonly #ceilingMs: number
  readonly #responses = new Map<Operation | undefined, Responses>()

  /** @param ceilingMs maximum duration of a request in milliseconds, set by the tester */
  constructor(ceilingMs: number) {
    this.#ceilingMs = ceilingMs
  }

  /**
   * Records that the target has responded, and the duration of a successful response. Ignores the duration of an error
   * response, because it arrives sooner than a result.
   */
  record(operation: Operation | undefined, { status, error, totalMs }: Exchange): void {
    if (status === 0) return
    const known = this.#responses.get(operation) ?? { count: 0, longestMs: 0 }
    const isServed = error === undefined && status < 300
    this.#responses.set(operation, {
      count: known.count + (isServed ? 1 : 0),
      longestMs: isServed ? Math.max(known.longestMs, totalMs) : known.longestMs,
    })
  }

  get hasAnyResponse(): boolean {
    return this.#responses.size > 0
  }

  hasResponded(operation: Operation): boolean {
    return this.#responses.has(operation)
  }

  /** Returns whether the target has served a request of the operation, or of any operation for an unknown endpoint. */
  hasServed(operation: Operation | undefined): boolean {
    if (operation === undefined) return [...this.#responses.values()].some(({ count }) => count > 0)
    return (this.#responses.get(operation)?.count ?? 0) > 0
  }

  /**
   * Returns the deadline of the first request to an operation that generates content. Returns undefined for other
   * operations, and if the tester has set a short deadline. The request has two overlapping attempts, so that one
   * deadline is enough to detect an unresponsive target. Chat has a shorter deadline than images and audio, which take
   * longer to generate.
   */
  firstResponse(operation: Operation | undefined): FirstResponseDeadline | undefined {
    const generates = operation !== undefined && operation !== 'models'
    if (!generates || this.hasResponded(operation)) return undefined
    const totalMs = this.#ceilingMs * (operation === 'chat' ? FIRST_CHAT_SHARE : 1)
    return totalMs < MIN_FIRST_DEADLINE_MS ? undefined : { totalMs, secondAttemptMs: totalMs * SECOND_ATTEMPT_SHARE }
  }

  /**
   * Returns the idle deadline in milliseconds. It can increase while the request is in progress.
   * @param isRepeat whether an earlier attempt of the request broke down
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
