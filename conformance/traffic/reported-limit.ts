import { readServerTimeMs } from '../http/retry-after.ts'
import { parseRateLimitHeaders, type RateLimitState } from './rate-limit-headers.ts'
import { MAX_KEY_WAIT_MS } from './policy.ts'

/** Maximum number of limits of a key, several times that of common services. A target may invent a limit for each response. */
const MAX_LIMITS = 20

interface LimitUsage {
  readonly amount: number
  /** Amount of all requests in flight. */
  readonly inFlight: number
  /** Upper bound of the amount of all remaining requests of the run. */
  readonly needed: number
}

/**
 * A rate limit whose state every response reports. Keeps the amount in flight below the remaining amount. While less
 * than half of the limit remains, spreads it over the time until the target renews the limit, unless it is sufficient
 * for the rest of the run. If the target refills the limit continuously, this yields its refill rate.
 */
class ReportedLimit {
  #report: RateLimitState
  #reportedAtMs: number
  #nextMs = 0
  #longestResetMs: number

  constructor(report: RateLimitState, nowMs: number) {
    this.#report = report
    this.#reportedAtMs = nowMs
    this.#longestResetMs = report.resetMs ?? 0
  }

  get unit(): RateLimitState['unit'] {
    return this.#report.unit
  }

  update(report: RateLimitState, nowMs: number): void {
    this.#report = report
    this.#reportedAtMs = nowMs
    this.#longestResetMs = Math.max(this.#longestResetMs, report.resetMs ?? 0)
  }

  /** Amount that the limit allows per millisecond: the whole limit until the reset. Infinity if it suffices for the run. */
  perMs(needed: number): number {
    const { remaining, limit } = this.#report
    return remaining >= needed || limit === undefined ? Infinity : limit / this.#longestResetMs
  }

  /** Returns the delay of the next request in milliseconds. Infinity means that it must wait for a response. */
  delayMs({ amount, inFlight, needed }: LimitUsage, nowMs: number): number {
    const { remaining, limit = Infinity, resetMs = 0 } = this.#report
    const left = remaining - inFlight
    // A request larger than the whole limit starts as soon as the full limit is available.
    if (amount === 0 || left >= Math.min(amount, limit)) {
      return left >= Math.min(needed, limit / 2) ? 0 : Math.max(0, this.#nextMs - nowMs)
    }
    if (inFlight > 0) return Infinity
    // The first request after the reset gets a response with the new remaining amount.
    return Math.max(0, this.#reportedAtMs + Math.min(resetMs, MAX_KEY_WAIT_MS) - nowMs)
  }

  /** Postpones the earliest start of the next request in proportion to the amount of a sent request. */
  sent(amount: number, nowMs: number): void {
    const { remaining, limit = 0, resetMs = 0 } = this.#report
    const parts = Math.max(remaining, limit - remaining)
    const intervalMs = parts > 0 ? Math.min(resetMs / parts, MAX_KEY_WAIT_MS) : 0
    this.#nextMs = Math.max(nowMs, this.#nextMs) + amount * intervalMs
  }
}

export class ReportedLimits {
  readonly #limits = new Map<string, ReportedLimit>()
  #requests = 0
  #tokens = 0
  #inFlight = { requests: 0, tokens: 0 }

  update(headers: Readonly<Record<string, string>>, nowMs: number): void {
    for (const report of parseRateLimitHeaders(headers, readServerTimeMs(headers))) {
      const known = this.#limits.get(report.name)
      if (known !== undefined) known.update(report, nowMs)
      else if (this.#limits.size < MAX_LIMITS) this.#limits.set(report.name, new ReportedLimit(report, nowMs))
    }
  }

  /** Returns the rate that the limits allow, in requests per millisecond. Infinity if they suffice for the run. */
  perMs(requestsLeft: number): number {
    const rates = [...this.#limits.values()].map((limit) =>
      limit.unit === 'tokens'
        ? limit.perMs(requestsLeft * this.#meanTokens) / this.#meanTokens
        : limit.perMs(requestsLeft),
    )
    return Math.min(Infinity, ...rates)
  }

  /** @param requestsLeft upper bound of the remaining requests of the run */
  delayMs(tokens: number, requestsLeft: number, nowMs: number): number {
    const usage = {
      requests: { amount: 1, inFlight: this.#inFlight.requests, needed: requestsLeft },
      tokens: { amount: tokens, inFlight: this.#inFlight.tokens, needed: requestsLeft * this.#meanTokens },
    }
    return Math.max(0, ...[...this.#limits.values()].map((limit) => limit.delayMs(usage[limit.unit], nowMs)))
  }

  get #meanTokens(): number {
    return this.#requests === 0 ? 0 : this.#tokens / this.#requests
  }

  sent(tokens: number, nowMs: number): void {
    this.#requests += 1
    this.#tokens += tokens
    this.#inFlight.requests += 1
    this.#inFlight.tokens += tokens
    for (const limit of this.#limits.values()) limit.sent(limit.unit === 'tokens' ? tokens : 1, nowMs)
  }

  ended(tokens: number): void {
    this.#inFlight.requests -= 1
    this.#inFlight.tokens -= tokens
  }
}
