export interface RateLimitedResponse {
  /** Start of the request, in milliseconds since the start of the run. */
  readonly sentAtMs: number
  readonly nowMs: number
  /** Wait before the next request, in milliseconds: Retry-After, or an exponential backoff without it. */
  readonly waitMs: number
}

/** Number of accepted requests after which the estimator raises the rate, because the limit may be higher. */
const SUCCESSES_BEFORE_INCREASE = 20
const RAISE_FACTOR = 1.25
/** Maximum rate after a 429, as a fraction of the rate at which the target sent it. */
const SAFE_SHARE = 0.9
/**
 * Minimum duration of the periods whose accepted requests show what rate the target sustains, in milliseconds. Most
 * limits apply to one minute.
 */
const MIN_PERIOD_MS = 60_000
/** Maximum fraction of the run's requests that may get a 429 while the estimator raises the rate. */
const MAX_PROBED_SHARE = 0.01

/**
 * Estimates the request limit of a key from its 429s, for targets that report no limit. At the first 429, the estimate
 * is the rate of the requests accepted before it. It then increases slowly, as long as the target rejects few requests.
 * It never falls below the rate that the target has sustained, because some targets send 429s at any rate.
 */
export class RateEstimator {
  readonly #maxPerMs: number
  #perMs: number
  /** Lowest rate at which the target sent a 429, in requests per millisecond. */
  #rejectedPerMs = Infinity
  #nextMs = 0
  #blockedUntilMs = 0
  #lastLimitedMs = -1
  /**
   * Start of the current estimate, in milliseconds since the start of the run, and the number of requests accepted
   * since then.
   */
  #sinceMs = 0
  #acceptedSince = 0
  #acceptedAtRate = 0
  /**
   * Start of the estimate that ended with the last 429, and the number of its accepted requests. If the target rejects
   * the next request, too, these requests account for the longer time.
   */
  #ended = { sinceMs: 0, accepted: 0 }
  /**
   * After a 429, the estimator sends a single request, and waits for its response. Several requests could all be
   * rejected again.
   */
  #probe: 'none' | 'due' | 'sent' = 'none'
  /** Whether the estimate that ended with the last 429 still applies, because the rate seemed not to be the cause of that 429. */
  #keptRate: { readonly isAgain: boolean } | undefined
  #inFlight = 0
  /** End of the last request in flight, in milliseconds since the start of the run. */
  #idleSinceMs = 0
  #accepted = 0
  #refused = 0
  /**
   * Start of the current period since the first 429, in milliseconds since the start of the run, and the number of
   * requests accepted before it.
   */
  #period: { readonly startMs: number; readonly accepted: number } | undefined
  /** Highest rate of accepted requests in a period, in requests per millisecond. */
  #sustainedPerMs = 0

  /** @param requestsPerMinute maximum rate, set by the tester */
  constructor(requestsPerMinute: number | undefined) {
    this.#maxPerMs = requestsPerMinute === undefined ? Infinity : requestsPerMinute / 60_000
    this.#perMs = this.#maxPerMs
  }

  /** Current rate in requests per millisecond. Undefined without a limit. */
  get perMs(): number | undefined {
    return this.#perMs === Infinity ? undefined : this.#perMs
  }

  /** End of the wait that the target requested, in milliseconds since the start of the run. */
  get blockedUntilMs(): number {
    return this.#blockedUntilMs
  }

  /** Returns the delay of the next request in milliseconds. Infinity means that it must wait for a response. */
  delayMs(nowMs: number): number {
    if (this.#probe === 'sent') return Infinity
    return Math.max(0, this.#nextMs - nowMs, this.#blockedUntilMs - nowMs)
  }

  sent(nowMs: number): void {
    if (this.#inFlight === 0) this.#skipIdleTime(nowMs)
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

  /** Excludes the time in which the run had no request to send, because it shows nothing about the limit. */
  #skipIdleTime(nowMs: number): void {
    const idleMs = nowMs - Math.max(this.#idleSinceMs, this.#nextMs, this.#blockedUntilMs)
    if (idleMs <= 0) return
    this.#sinceMs += idleMs
    if (this.#period !== undefined) this.#period = { ...this.#period, startMs: this.#period.startMs + idleMs }
  }

  /**
   * Records an accepted request. If it started before the wait after the last 429 ended, it belongs to the estimate that
   * this 429 ended.
   * @param requestsLeft number of remaining requests of the run; with many, the estimator raises the rate earlier
   */
  accepted(sentAtMs: number, requestsLeft = 0): void {
    this.#accepted += 1
    if (sentAtMs < this.#sinceMs) {
      this.#ended.accepted += 1
      return
    }
    this.#acceptedSince += 1
    this.#acceptedAtRate += 1
    const share = this.#refused / (this.#accepted + this.#refused + requestsLeft)
    if (this.#acceptedAtRate >= SUCCESSES_BEFORE_INCREASE && share < MAX_PROBED_SHARE) {
      this.#acceptedAtRate = 0
      this.#perMs = Math.min(this.#perMs * RAISE_FACTOR, this.#rejectedPerMs * SAFE_SHARE, this.#maxPerMs)
    }
  }

  /**
   * Records a 429, and pauses all requests. Lowers the rate if `isAboutRate` is true and the request started after the
   * last 429 arrived. Earlier requests were sent at the previous rate.
   */
  limited({ sentAtMs, nowMs, waitMs }: RateLimitedResponse, isAboutRate: boolean): void {
    this.#refused += 1
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, nowMs + waitMs)
    if (sentAtMs < this.#sinceMs) {
      if (isAboutRate && this.#keptRate !== undefined) this.#lower(this.#keptRate.isAgain)
      return
    }
    const isAgain = this.#acceptedSince === 0 && this.#lastLimitedMs >= 0
    this.#lastLimitedMs = nowMs
    this.#probe = 'due'
    this.#updateSustainedRate()
    if (!isAgain) this.#ended = { sinceMs: this.#sinceMs, accepted: this.#acceptedSince }
    this.#keptRate = { isAgain }
    if (isAboutRate) this.#lower(isAgain)
    this.#sinceMs = this.#blockedUntilMs
    this.#acceptedSince = 0
    this.#acceptedAtRate = 0
  }

  /** Forgets the limit, because the 429s had another reason. The next 429 starts a new estimate. */
  forget(): void {
    this.#perMs = this.#maxPerMs
    this.#rejectedPerMs = Infinity
    this.#nextMs = 0
    this.#keptRate = undefined
    this.#refused = 0
  }

  /** @param isAgain whether no request was accepted since the last 429; the 429 then says nothing about this rate */
  #lower(isAgain: boolean): void {
    this.#keptRate = undefined
    if (this.#perMs < Infinity && !isAgain) {
      this.#rejectedPerMs = Math.min(this.#rejectedPerMs, this.#perMs)
    }
    const { sinceMs, accepted } = this.#ended
    const seenPerMs = Math.max(1, accepted) / (this.#blockedUntilMs - sinceMs)
    const loweredPerMs = Math.min(seenPerMs, isAgain ? this.#perMs : this.#perMs * SAFE_SHARE)
    this.#perMs = Math.min(this.#maxPerMs, Math.max(loweredPerMs, this.#sustainedPerMs * SAFE_SHARE))
    this.#nextMs = this.#blockedUntilMs
  }

  /** Ends the current period if it is long enough. A period starts and ends when the wait after a 429 ends. */
  #updateSustainedRate(): void {
    const next = { startMs: this.#blockedUntilMs, accepted: this.#accepted }
    const period = (this.#period ??= next)
    const durationMs = next.startMs - period.startMs
    if (durationMs < MIN_PERIOD_MS) return
    this.#sustainedPerMs = Math.max(this.#sustainedPerMs, (next.accepted - period.accepted) / durationMs)
    this.#period = next
  }
}
