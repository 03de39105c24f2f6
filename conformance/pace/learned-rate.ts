/** A response with status 429. */
export interface RateLimited {
  /** When the request was sent. */
  readonly sentAtMs: number
  readonly nowMs: number
  /** How long the target asks to wait; a backoff if it names no time. */
  readonly waitMs: number
}

/** Number of accepted requests after which a learned rate is raised, because the true limit may be higher. */
const RAISE_AFTER = 20
const RAISE_FACTOR = 1.25
/** Share of a refused rate that is tried next; the refused rate itself never is. */
const SAFE_SHARE = 0.9
/** Share of requests that may be refused for the sake of a higher rate. */
const MAX_PROBED_SHARE = 0.01

/**
 * Finds the rate of a key that reports no limits, from responses with status 429. The first 429 shows how many requests
 * were accepted in which time. The rate then rises slowly, as long as few requests are refused.
 */
export class LearnedRate {
  readonly #maxPerMs: number
  #perMs: number
  /** Upper bound that a 429 has shown. */
  #refusedPerMs = Infinity
  #nextMs = 0
  #blockedUntilMs = 0
  #lastLimitedMs = -1
  /** Start of the period that the next estimate is about, and the requests accepted in it. */
  #sinceMs = 0
  #acceptedSince = 0
  #acceptedAtRate = 0
  #accepted = 0
  #refused = 0

  /** @param requestsPerMinute rate that the tester sets */
  constructor(requestsPerMinute: number | undefined) {
    this.#maxPerMs = requestsPerMinute === undefined ? Infinity : requestsPerMinute / 60_000
    this.#perMs = this.#maxPerMs
  }

  /** The present rate; undefined for none. */
  get perMs(): number | undefined {
    return this.#perMs === Infinity ? undefined : this.#perMs
  }

  /** Until when the target asked to wait, on the clock of the run. */
  get blockedUntilMs(): number {
    return this.#blockedUntilMs
  }

  delayMs(nowMs: number): number {
    return Math.max(0, this.#nextMs - nowMs, this.#blockedUntilMs - nowMs)
  }

  sent(nowMs: number): void {
    this.#nextMs = Math.max(nowMs, this.#nextMs) + 1 / this.#perMs
  }

  accepted(): void {
    this.#accepted += 1
    this.#acceptedSince += 1
    this.#acceptedAtRate += 1
    const share = this.#refused / (this.#accepted + this.#refused)
    if (this.#acceptedAtRate >= RAISE_AFTER && share < MAX_PROBED_SHARE) {
      this.#acceptedAtRate = 0
      this.#perMs = Math.min(this.#perMs * RAISE_FACTOR, this.#refusedPerMs * SAFE_SHARE, this.#maxPerMs)
    }
  }

  /** Pauses. Requests that were sent before an earlier 429 arrived tell nothing new about the rate. */
  limited({ sentAtMs, nowMs, waitMs }: RateLimited, isAboutRate: boolean): void {
    this.#refused += 1
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + waitMs)
    if (sentAtMs < this.#lastLimitedMs) return
    this.#lastLimitedMs = nowMs
    if (isAboutRate) {
      this.#lower(this.#blockedUntilMs - this.#sinceMs)
    }
    this.#sinceMs = this.#blockedUntilMs
    this.#acceptedSince = 0
    this.#acceptedAtRate = 0
  }

  #lower(periodMs: number): void {
    if (this.#perMs < Infinity) {
      this.#refusedPerMs = Math.min(this.#refusedPerMs, this.#perMs)
    }
    const seenPerMs = Math.max(1, this.#acceptedSince) / periodMs
    this.#perMs = Math.min(seenPerMs, this.#perMs * SAFE_SHARE)
    this.#nextMs = this.#blockedUntilMs
  }
}
