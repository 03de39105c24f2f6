import {
  BACKOFF_MS,
  MAX_BACKOFF_MS,
  MAX_CONTRADICTIONS,
  MIN_QUIET_REQUESTS,
  QUIET_MS,
  FALLBACK_PER_MS,
} from './policy.ts'

/** Start and end of a request, in milliseconds since the start of the run. */
export interface RequestTimes {
  readonly sentAtMs: number
  readonly nowMs: number
}

export interface RateLimitedResponse extends RequestTimes {
  readonly retryAfterMs: number | undefined
}

/** Accepted requests since the end of the last wait. */
interface Period {
  readonly perMs: number
  startMs: number
  accepted: number
}

/**
 * Rate of the requests with one key. It is unlimited until a 429, unless the tester sets a maximum. After a 429, the
 * requests wait, a single one follows, and the others have half the rate that the key had before: the current rate, or
 * that of the accepted requests. After enough requests without a 429, the rate doubles.
 *
 * A 429 contradicts a rate limit if the target accepted a request after a shorter wait than the current interval between
 * requests. After several such 429s, the rate has a fixed value.
 */
export class Rate {
  readonly #maxPerMs: number
  #period: Period
  /** The last period with an accepted request that ended with a 429. */
  #before: Period
  #perMs: number
  #nextMs = 0
  #blockedUntilMs = 0
  /** Last rate at which the target sent no 429 to enough requests. */
  #steadyPerMs = Infinity
  /** Number of 429s since then that contradict a rate limit. */
  #contradictions = 0
  #backoffMs = BACKOFF_MS
  #lastLimitedMs = -1
  /** Arrival of the first 429 since the last accepted request. */
  #waitStartMs = -Infinity
  #probe: 'none' | 'due' | 'sent' = 'none'
  #inFlight = 0
  /** End of the last request in flight. */
  #idleSinceMs = 0
  /** Times of the requests that the target accepted within the last minute, and the highest number of them. */
  #acceptedMs: number[] = []
  #mostAccepted = 0

  /** @param requestsPerMinute maximum rate, set by the tester */
  constructor(requestsPerMinute: number | undefined) {
    this.#maxPerMs = requestsPerMinute === undefined ? Infinity : requestsPerMinute / 60_000
    this.#perMs = this.#maxPerMs
    this.#period = { perMs: this.#perMs, startMs: 0, accepted: 0 }
    this.#before = this.#period
  }

  /** Rate in requests per millisecond that the target is known to accept. Infinity without a known limit. */
  get knownPerMs(): number {
    return Math.min(this.#steadyPerMs, this.#maxPerMs)
  }

  /** Whether the target rejects requests even if the rate is low. */
  get rejectsAtAnyRate(): boolean {
    return this.#contradictions >= MAX_CONTRADICTIONS
  }

  /** End of the wait that the target requested, in milliseconds since the start of the run. */
  get blockedUntilMs(): number {
    return this.#blockedUntilMs
  }

  get lastLimitedMs(): number {
    return this.#lastLimitedMs
  }

  waitUntil(atMs: number): void {
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, atMs)
  }

  /** Returns the delay of the next request in milliseconds. Infinity means that it must wait for a response. */
  delayMs(nowMs: number): number {
    return this.#probe === 'sent' ? Infinity : Math.max(0, this.#nextMs - nowMs, this.#blockedUntilMs - nowMs)
  }

  sent(nowMs: number): void {
    // The time without a request to send shows nothing about the limit.
    const idleMs = nowMs - Math.max(this.#idleSinceMs, this.#nextMs, this.#blockedUntilMs)
    if (this.#inFlight === 0 && idleMs > 0) this.#period.startMs += idleMs
    this.#inFlight += 1
    if (this.#probe === 'due') this.#probe = 'sent'
    this.#nextMs = Math.max(nowMs, this.#nextMs) + 1 / this.#perMs
  }

  /** Records that a request has ended, before `accepted` or `limited`. */
  ended(sentAtMs: number, nowMs: number): void {
    this.#inFlight -= 1
    if (this.#probe === 'sent' && sentAtMs >= this.#lastLimitedMs) this.#probe = 'none'
    this.#idleSinceMs = nowMs
  }

  accepted(sentAtMs: number, nowMs: number): void {
    this.#acceptedMs = [...this.#acceptedMs.filter((atMs) => atMs > nowMs - 60_000), nowMs]
    this.#mostAccepted = Math.max(this.#mostAccepted, this.#acceptedMs.length)
    const period = sentAtMs < this.#period.startMs ? this.#before : this.#period
    period.accepted += 1
    const isQuiet = nowMs - this.#period.startMs >= QUIET_MS && this.#period.accepted >= MIN_QUIET_REQUESTS
    if (!isQuiet || this.rejectsAtAnyRate) return
    this.#steadyPerMs = this.#perMs
    this.#contradictions = 0
    this.#startPeriod(nowMs, this.#perMs * 2)
  }

  /** Records a 429, and pauses all requests. Lowers the rate if `isAboutRate` is true. */
  limited({ sentAtMs, nowMs, retryAfterMs = 0 }: RateLimitedResponse, isAboutRate: boolean): void {
    // A request that was sent before the last 429 arrived had the earlier rate.
    const isNew = sentAtMs > this.#lastLimitedMs
    const isAgain = this.#period.accepted === 0 && this.#lastLimitedMs >= 0
    if (isNew) this.#backoffMs = isAgain ? Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS) : BACKOFF_MS
    const waitedMs = this.#blockedUntilMs - this.#waitStartMs
    const waitMs = retryAfterMs < BACKOFF_MS ? this.#backoffMs : retryAfterMs
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + waitMs)
    if (!isNew) return
    this.#lastLimitedMs = nowMs
    this.#probe = 'due'
    if (!isAgain) {
      this.#before = this.#period
      if (isAboutRate && waitedMs < 1 / this.#perMs) this.#contradictions += 1
      this.#waitStartMs = nowMs
    }
    this.#nextMs = this.#blockedUntilMs
    this.#startPeriod(this.#blockedUntilMs, isAboutRate ? this.#reduceRate() : this.#perMs)
  }

  /** Returns half the rate before the last 429, but at least half of what the target accepted in a minute. */
  #reduceRate(): number {
    if (this.rejectsAtAnyRate) return FALLBACK_PER_MS
    const { perMs, startMs, accepted } = this.#before
    const acceptedPerMs = Math.max(1, accepted) / (this.#blockedUntilMs - startMs)
    return Math.max(Math.min(perMs / 2, acceptedPerMs), this.#mostAccepted / 60_000 / 2)
  }

  #startPeriod(startMs: number, perMs: number): void {
    this.#perMs = Math.min(perMs, this.#maxPerMs)
    this.#period = { perMs: this.#perMs, startMs, accepted: 0 }
  }
}
