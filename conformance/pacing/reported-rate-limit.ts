import type { RateLimitState } from './rate-limit-headers.ts'

/**
 * Minimum growth of the used amount between two responses, as a factor. After less growth, their reset times do not
 * show whether the limit is a window or a bucket.
 */
const MIN_USAGE_GROWTH = 3
/**
 * Minimum ratio of reset times from which a limit is a bucket: the later reset time per used unit, divided by the first
 * one. The ratio is about 1 for a bucket, and at most a third for a window.
 */
const MIN_BUCKET_SHARE = 0.5
/** Maximum size of limits that always count as a bucket. A window with so few requests would hardly be usable. */
const MAX_BUCKET_ONLY = 2

/**
 * Minimum time until the first reported reset, from which a limit of unknown type counts as a window, in milliseconds.
 * A nearly full bucket has a shorter time.
 */
const USUAL_WINDOW_MS = 20_000

/** A reported state of a limit: the used amount, and the time until the reset in milliseconds. */
interface Reset {
  readonly used: number
  readonly resetMs: number
}

/** Usage of a limit, in requests or in tokens. */
export interface LimitUsage {
  readonly amount: number
  /** Amount of all requests in flight. */
  readonly inFlight: number
  /**
   * Amount of all remaining requests of the run. If the limit is sufficient for them, the pacer does not delay
   * requests.
   */
  readonly needed: number
}

/**
 * A rate limit whose state every response reports. Keeps the amount in flight below the remaining amount, and spreads
 * requests over the time until the target renews the limit. The target may use either algorithm:
 *
 * - A window renews the whole limit when it ends. The remaining amount is spread over the time until then.
 * - A bucket refills continuously. When it is half full, the same calculation yields exactly its refill rate.
 */
export class ReportedRateLimit {
  #report: RateLimitState
  #reportedAtMs: number
  #nextMs = 0
  #longestResetMs = 0
  #firstReset: Reset | undefined
  #mostReset: Reset | undefined

  constructor(report: RateLimitState, nowMs: number) {
    this.#report = report
    this.#reportedAtMs = nowMs
    this.update(report, nowMs)
  }

  get unit(): RateLimitState['unit'] {
    return this.#report.unit
  }

  get remaining(): number {
    return this.#report.remaining
  }

  update(report: RateLimitState, nowMs: number): void {
    this.#report = report
    this.#reportedAtMs = nowMs
    this.#longestResetMs = Math.max(this.#longestResetMs, report.resetMs ?? 0)
    const { limit = 0, remaining, resetMs = 0 } = report
    const reset = { used: limit - remaining, resetMs }
    if (reset.used > 0 && resetMs > 0) {
      this.#firstReset ??= reset
      this.#mostReset = reset.used >= (this.#mostReset?.used ?? 0) ? reset : this.#mostReset
    }
  }

  /**
   * Returns the delay of the next request in milliseconds. Infinity means that the request must wait for a response.
   */
  delayMs({ amount, inFlight, needed }: LimitUsage, nowMs: number): number {
    const { remaining, limit = Infinity, resetMs = 0 } = this.#report
    const left = remaining - inFlight
    // A request larger than the whole limit starts as soon as the full limit is available.
    if (amount === 0 || left >= Math.min(amount, limit)) {
      return left >= needed ? 0 : Math.max(0, this.#nextMs - nowMs)
    }
    if (inFlight > 0) return Infinity
    // The first request after the reset gets a response with the new remaining amount.
    return Math.max(0, this.#reportedAtMs + resetMs - nowMs)
  }

  /** Postpones the earliest start of the next request in proportion to the amount of a sent request. */
  sent(amount: number, nowMs: number): void {
    this.#nextMs = Math.max(nowMs, this.#nextMs) + amount * this.#intervalMs()
  }

  /** Returns the delay per unit of a request's amount, in milliseconds. */
  #intervalMs(): number {
    const { remaining, limit = 0, resetMs = 0 } = this.#report
    const used = limit - remaining
    const untilRenewed = remaining > 0 ? resetMs / remaining : 0
    return used > 0 ? Math.min(untilRenewed, resetMs / used) : untilRenewed
  }

  /**
   * Estimates the sustained rate that the limit allows, per millisecond. Returns undefined before the first use, if the
   * size of the limit is unknown, and if the limit is sufficient for the rest of the run.
   */
  ratePerMs(needed: number): number | undefined {
    const { limit, remaining } = this.#report
    if (remaining >= needed) return undefined
    const [first, most] = [this.#firstReset, this.#mostReset]
    if (limit === undefined || first === undefined || most === undefined) return undefined
    const ofBucket = most.used / most.resetMs
    if (limit <= MAX_BUCKET_ONLY) return ofBucket
    const isReported = most.used >= MIN_USAGE_GROWTH * first.used
    const isBucket = isReported
      ? most.resetMs / most.used >= (MIN_BUCKET_SHARE * first.resetMs) / first.used
      : first.resetMs < USUAL_WINDOW_MS
    return isBucket ? ofBucket : limit / this.#longestResetMs
  }
}
