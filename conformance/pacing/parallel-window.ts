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
/**
 * Minimum number of accepted requests between two 429s with a full window that say nothing about the rate. Some targets
 * count a request as in flight until shortly after its response has arrived. A limited rate would cause 429s more often.
 */
const LATE_AFTER = 20

/** Maximum fraction of the requests with a full window that get such a 429. More of them mean that the window is too large. */
const MAX_LATE_SHARE = 0.05

/**
 * Maximum number of requests that a target accepts with a window that is too large: the responses to earlier requests
 * were on their way, so that fewer requests were in flight at the target.
 */
const MAX_CHANCE_ACCEPTED = 3

/**
 * Maximum number of 429s to requests in flight at the same time that a limit of parallel requests explains. The window
 * grows by one request, so it exceeds such a limit by one, or by two if the target counts an ended request for too long.
 */
const MAX_REJECTED_TOGETHER = 2

/** Numbers of requests in flight, including the request itself, when it was sent. */
export interface InFlight {
  readonly total: number
  /** Number of requests with the same key. Some targets limit only these. */
  readonly withKey: number
}

/** Estimates how many parallel requests the target accepts, from its 429s. */
export class ParallelWindow {
  #size = FIRST_SIZE
  #inFlight = 0
  readonly #inFlightByKey = new Map<string, number>()
  #accepted = 0
  #acceptedSinceLimited = 0
  #mostAccepted: InFlight = { total: 0, withKey: 0 }
  #lastLimitedMs = -1
  /** Number of 429s to the requests that were in flight at the last reduction, and the window before it. */
  #last = { rejected: 0, inFlight: 0, size: FIRST_SIZE }
  readonly #rejections = new Map<number, number>()
  /** Number of accepted requests by the number of requests in flight. */
  readonly #acceptedAt = new Map<number, number>()

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

  /** Counts a request that starts. */
  sent(key: string): InFlight {
    this.#inFlight += 1
    const withKey = (this.#inFlightByKey.get(key) ?? 0) + 1
    this.#inFlightByKey.set(key, withKey)
    return { total: this.#inFlight, withKey }
  }

  ended(key: string): void {
    this.#inFlight -= 1
    this.#inFlightByKey.set(key, (this.#inFlightByKey.get(key) ?? 0) - 1)
  }

  /**
   * Records a request that the target accepted.
   * @param inFlight result of `sent` for the request
   */
  accepted({ total, withKey }: InFlight): void {
    const most = this.#mostAccepted
    this.#mostAccepted = { total: Math.max(most.total, total), withKey: Math.max(most.withKey, withKey) }
    this.#accepted += 1
    this.#acceptedSinceLimited += 1
    this.#acceptedAt.set(total, (this.#acceptedAt.get(total) ?? 0) + 1)
    const growAfter = this.#rejections.size === 0 ? GROW_AFTER : GROW_AFTER_LIMIT
    if (this.#accepted >= growAfter && (this.#rejections.get(this.#size + 1) ?? 0) < MAX_REJECTIONS) {
      this.#accepted = 0
      this.#size += 1
    }
  }

  /**
   * Records a 429. Reduces the window if the target has not accepted as many requests in flight, or rejects too many of
   * them.
   * @returns true if the number of parallel requests explains this 429 or an earlier one; it then says nothing about
   * the rate. After too many 429s at the same time, the rate caused earlier ones, too
   */
  limited(
    { total, withKey }: InFlight,
    { sentAtMs, nowMs }: { readonly sentAtMs: number; readonly nowMs: number },
  ): boolean {
    if (sentAtMs < this.#lastLimitedMs) return this.#limitedTogether()
    const acceptedBefore = this.#acceptedSinceLimited
    this.#acceptedSinceLimited = 0
    if (total === 1) return false
    const most = this.#mostAccepted
    const isMostWithKey = withKey > 1 && withKey > most.withKey
    const isAccepted = total <= most.total && !isMostWithKey
    const inFlight = total <= most.total && isMostWithKey ? withKey : total
    const acceptedAt = this.#acceptedAt.get(inFlight) ?? 0
    const mayBeLate = acceptedAt <= MAX_CHANCE_ACCEPTED || acceptedBefore >= LATE_AFTER
    if (isAccepted && (this.limit === undefined || inFlight < this.#size || !mayBeLate)) return false
    this.#lastLimitedMs = nowMs
    this.#accepted = 0
    const rejections = (this.#rejections.get(inFlight) ?? 0) + 1
    this.#last = { rejected: 1, inFlight, size: this.#size }
    this.#rejections.set(inFlight, rejections)
    const isLate = isAccepted && rejections <= acceptedAt * MAX_LATE_SHARE
    if (!isLate) this.#size = inFlight - 1
    return true
  }
  /** Records another 429 to a request that was in flight at the last reduction. Reverts the reduction after too many. */
  #limitedTogether(): boolean {
    this.#last.rejected += 1
    if (this.#last.rejected <= MAX_REJECTED_TOGETHER) return true
    const { inFlight, size } = this.#last
    const rejections = (this.#rejections.get(inFlight) ?? 0) - 1
    if (this.#last.rejected === MAX_REJECTED_TOGETHER + 1) {
      if (rejections > 0) this.#rejections.set(inFlight, rejections)
      else this.#rejections.delete(inFlight)
      this.#size = size
    }
    return false
  }
}
