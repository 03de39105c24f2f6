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

/**
 * Deadlines of a request to an operation that generates content and has not responded yet, and of its repeat, in
 * milliseconds. Images and audio take longer to generate than a small chat.
 */
const FIRST_CHAT_MS = { first: 60_000, repeat: 20_000 } as const
const FIRST_MEDIA_MS = { first: 120_000, repeat: 40_000 } as const
/**
 * Minimum deadline of both attempts after a request of the operation got no response even when repeated, in
 * milliseconds. Otherwise, each such request would delay the run by two long deadlines.
 */
const UNANSWERED_DEADLINE_MS = 5000

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
  readonly #unanswered = new Set<Operation | undefined>()

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

  /** Returns whether the target has served a request of the operation, or of any operation for an unknown endpoint. */
  hasServed(operation: Operation | undefined): boolean {
    if (operation === undefined) return [...this.#responses.values()].some(({ count }) => count > 0)
    return (this.#responses.get(operation)?.count ?? 0) > 0
  }

  /** Records that a valid request got no response in time, even when repeated. */
  recordUnanswered(operation: Operation | undefined): void {
    this.#unanswered.add(operation)
  }

  /**
   * Returns the idle deadline in milliseconds. It can increase while the request is in progress.
   * @param isRepeat whether an earlier attempt of the request broke down
   */
  idleMs(operation: Operation | undefined, isRepeat: boolean): number {
    const known = this.#responses.get(operation)
    const generates = operation !== undefined && operation !== 'models'
    const limitedMs = (ms: number): number => Math.min(this.#ceilingMs, ms)
    if (this.#responses.size === 0) return limitedMs(isRepeat ? FIRST_CONTACT_REPEAT_MS : FIRST_CONTACT_MS)
    if (generates && known === undefined) {
      const { first, repeat } = operation === 'chat' ? FIRST_CHAT_MS : FIRST_MEDIA_MS
      return limitedMs(isRepeat ? repeat : first)
    }
    const { count, longestMs } = known ?? { count: 0, longestMs: 0 }
    if (count > 0 && this.#unanswered.has(operation)) {
      return limitedMs(Math.max(UNANSWERED_DEADLINE_MS, FACTOR * longestMs))
    }
    const floorMs = generates && count < FEW_RESPONSES ? MIN_FIRST_DEADLINE_MS : MIN_DEADLINE_MS
    const firstMs = Math.max(floorMs, FACTOR * longestMs)
    return limitedMs(isRepeat ? firstMs * REPEAT_FACTOR : firstMs)
  }
}
