/** Requests in flight at the start of a run: few, so that a limit is not met by many requests at once. */
const FIRST_SIZE = 2
/** Responses after which one more request may be in flight. */
const GROW_AFTER = 3
/** The same after a 429, in case the number was lower than it has to be. */
const GROW_AFTER_LIMIT = 25
/** A number that was refused this often is not tried again. */
const MAX_REFUSALS = 2

/** Finds how many requests may be in flight at the same time, from responses with status 429. */
export class ParallelWindow {
  #size = FIRST_SIZE
  #inFlight = 0
  #accepted = 0
  #mostAccepted = 0
  #lastLimitedMs = -1
  readonly #refusals = new Map<number, number>()

  get hasRoom(): boolean {
    return this.#inFlight < this.#size
  }

  get size(): number {
    return this.#size
  }

  /** The size, if a larger number was refused; undefined if none was. */
  get limit(): number | undefined {
    return this.#refusals.size === 0 ? undefined : this.#size
  }

  /** @returns the number of requests in flight, with this one */
  sent(): number {
    this.#inFlight += 1
    return this.#inFlight
  }

  ended(): void {
    this.#inFlight -= 1
  }

  /** @param inFlight what `sent` returned for the request */
  accepted(inFlight: number): void {
    this.#mostAccepted = Math.max(this.#mostAccepted, inFlight)
    this.#accepted += 1
    const growAfter = this.#refusals.size === 0 ? GROW_AFTER : GROW_AFTER_LIMIT
    if (this.#accepted >= growAfter && (this.#refusals.get(this.#size + 1) ?? 0) < MAX_REFUSALS) {
      this.#accepted = 0
      this.#size += 1
    }
  }

  /**
   * Allows fewer requests in flight, if this many were never accepted before.
   * @returns true if the 429 has this explanation: it is not about the rate
   */
  limited(inFlight: number, { sentAtMs, nowMs }: { readonly sentAtMs: number; readonly nowMs: number }): boolean {
    if (sentAtMs < this.#lastLimitedMs) return true
    if (inFlight === 1 || inFlight <= this.#mostAccepted) return false
    this.#lastLimitedMs = nowMs
    this.#accepted = 0
    this.#refusals.set(inFlight, (this.#refusals.get(inFlight) ?? 0) + 1)
    this.#size = inFlight - 1
    return true
  }
}
