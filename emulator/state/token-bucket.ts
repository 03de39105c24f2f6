import type { Clock } from './clock.ts'

/** A rate limit: `burst` requests at once, refilled evenly at `requestsPerMinute`. */
export interface RateLimit {
  readonly requestsPerMinute: number
  readonly burst: number
}

/** Admits requests by the token bucket algorithm (section 7, status 429; thresholds are not shown in section 8). */
export class TokenBucket {
  readonly #clock: Clock
  readonly #limit: RateLimit
  #tokens: number
  #filledAtMs: number

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock
    this.#limit = limit
    this.#tokens = limit.burst
    this.#filledAtMs = clock.nowMs()
  }

  /** Takes one token. @returns 0 when admitted, else the milliseconds until one will be there */
  take(): number {
    const perMs = this.#limit.requestsPerMinute / 60_000
    const nowMs = this.#clock.nowMs()
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + (nowMs - this.#filledAtMs) * perMs)
    this.#filledAtMs = nowMs
    // Refilling adds fractions: without the tolerance a client that waits exactly as told could come 1e-12 too early.
    if (this.#tokens < 1 - 1e-9) return (1 - this.#tokens) / perMs
    this.#tokens = Math.max(0, this.#tokens - 1)
    return 0
  }
}
