import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'

/** Shortest deadline, and that of a target which has not responded at all. */
const FLOOR_MS = 20_000
/** Shortest deadline of an operation that generates something, until this many of its responses were seen. */
const FIRST_FLOOR_MS = 60_000
const FEW_RESPONSES = 5
/** Multiple of the longest response so far: among the responses of a run, the longest is several times the median. */
const FACTOR = 8
/** A request that is repeated gets this multiple of its first deadline. */
const REPEAT_FACTOR = 3

interface Responses {
  count: number
  longestMs: number
}

/**
 * Sets how long a target may send nothing before a request is aborted. The document names no time, so the deadline
 * follows the response times seen for the operation: at least 20 s, and at most the deadline that the tester sets. Each
 * byte that arrives restarts it.
 */
export class Deadlines {
  readonly #ceilingMs: number
  readonly #responses = new Map<Operation | undefined, Responses>()

  /** @param ceilingMs maximum duration of a whole request, set by the tester */
  constructor(ceilingMs: number) {
    this.#ceilingMs = ceilingMs
  }

  /** Records a response. Only one that was served shows how long the operation takes. */
  record(operation: Operation | undefined, { status, error, totalMs }: Exchange): void {
    if (status === 0) return
    const known = this.#responses.get(operation) ?? { count: 0, longestMs: 0 }
    const isServed = error === undefined && status < 300
    this.#responses.set(operation, {
      count: known.count + (isServed ? 1 : 0),
      longestMs: isServed ? Math.max(known.longestMs, totalMs) : known.longestMs,
    })
  }

  /** True if the target has responded to a request of the operation. */
  hasResponded(operation: Operation): boolean {
    return this.#responses.has(operation)
  }

  /**
   * Returns the milliseconds of silence after which a request is given up. It may grow while the request is under way.
   * @param isRepeat true for a request that was given up before
   */
  idleMs(operation: Operation | undefined, isRepeat: boolean): number {
    const { count, longestMs } = this.#responses.get(operation) ?? { count: 0, longestMs: 0 }
    if (this.#responses.size === 0) return Math.min(this.#ceilingMs, FLOOR_MS)
    const generates = operation !== undefined && operation !== 'models'
    const floorMs = generates && count < FEW_RESPONSES ? FIRST_FLOOR_MS : FLOOR_MS
    const firstMs = Math.max(floorMs, FACTOR * longestMs)
    return Math.min(this.#ceilingMs, isRepeat ? firstMs * REPEAT_FACTOR : firstMs)
  }
}
