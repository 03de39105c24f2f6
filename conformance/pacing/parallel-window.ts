/**
 * Number of parallel requests at the start of a run. A small number avoids exceeding an unknown limit by many requests.
 */
const FIRST_SIZE = 2
/** Number of responses after which the window grows by one request. */
const GROW_AFTER = 3
/**
 * Number of responses after which the window grows by one request once the target has rejected one. Growth then only
 * corrects a reduction that may have been too large.
 */
const GROW_AFTER_LIMIT = 25
/** Number of 429s with the same number of requests in flight, after which the window never grows to this size again. */
const MAX_REJECTIONS = 2

/** Estimates how many parallel requests the target accepts, from its 429s. */
export class ParallelWindow {
  #size = FIRST_SIZE
  #inFlight = 0
  #accepted = 0
  #mostAccepted = 0
  #lastLimitedMs = -1
  readonly #rejections = new Map<number, number>()

  get hasRoom(): boolean {
    return this.#inFlight < this.#size
  }

  get size(): number {
    return this.#size
  }

  /** Current size of the window. Undefined if the target has accepted every size. */
  get limit(): number | undefined {
    return this.#rejections.size === 0 ? undefined : this.#size
  }

  /**
   * Counts a request that starts.
   * @returns the number of requests in flight, including this one
   */
  sent(): number {
    this.#inFlight += 1
    return this.#inFlight
  }

  ended(): void {
    this.#inFlight -= 1
  }

  /**
   * Records a request that the target accepted.
   * @param inFlight number that `sent` returned for the request
   */
  accepted(inFlight: number): void {
    this.#mostAccepted = Math.max(this.#mostAccepted, inFlight)
    this.#accepted += 1
    const growAfter = this.#rejections.size === 0 ? GROW_AFTER : GROW_AFTER_LIMIT
    if (this.#accepted >= growAfter && (this.#rejections.get(this.#size + 1) ?? 0) < MAX_REJECTIONS) {
      this.#accepted = 0
      this.#size += 1
    }
  }

  /**
   * Records a 429. Reduces the window if the target has never accepted as many requests in flight.
   * @returns true if the number of parallel requests explains this 429 or an earlier one; it then says nothing about
   * the rate
   */
  limited(inFlight: number, { sentAtMs, nowMs }: { readonly sentAtMs: number; readonly nowMs: number }): boolean {
    if (sentAtMs < this.#lastLimitedMs) return true
    if (inFlight === 1 || inFlight <= this.#mostAccepted) return false
    this.#lastLimitedMs = nowMs
    this.#accepted = 0
    this.#rejections.set(inFlight, (this.#rejections.get(inFlight) ?? 0) + 1)
    this.#size = inFlight - 1
    return true
  }
}
