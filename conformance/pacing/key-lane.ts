import type { Exchange } from '../http/exchange.ts'
import { parseRetryAfterMs } from '../http/retry-after.ts'
import { RateEstimator } from './rate-estimator.ts'
import { parseRateLimitHeaders } from './rate-limit-headers.ts'
import { ReportedRateLimit } from './reported-rate-limit.ts'

/** Roles of keys with separate rate limits. `invalid` includes requests without a key. */
export type PacedKeyRole = 'funded' | 'no-credits' | 'small' | 'invalid'

/** A request that waits for its turn. */
export interface PacedRequest {
  readonly key: PacedKeyRole
  /** Maximum number of prompt and completion tokens of the request. */
  readonly tokens: number
  /** Number of 429s that the request has got so far. */
  readonly rejections: number
}

export interface SendPermit {
  /** Records the response, which may change the rate. The caller must call it once for each request. */
  end(response: Pick<Exchange, 'status' | 'headers'>): void
}

/** A request in the queue of a lane. `start` sends it, or ends its wait if the argument is undefined. */
interface Waiting {
  readonly request: PacedRequest
  start(turn: SendPermit | undefined): void
}

/** Time after a 429 without Retry-After, in milliseconds. A 429 after this time has a reason other than a rate limit. */
const MAX_LIMITED_MS = 10_000
/** Maximum number of limits of a key, several times that of common services. A target may invent a limit for each response. */
const MAX_LIMITS = 20
/** Tolerance for imprecise timers, in milliseconds. A request that is this much too early still counts. */
const TIMER_TOLERANCE_MS = 500

/** The queue and the rate limits of one key role. */
export class Lane {
  waiting: Waiting[] = []
  rate: RateEstimator
  cancelTimer: () => void = () => undefined
  readonly #limits = new Map<string, ReportedRateLimit>()
  #requests = 0
  #tokens = 0
  #requestsInFlight = 0
  #tokensInFlight = 0
  /** Time from which a 429 has a reason other than a rate limit. Set by the first 429 after a result. */
  #limitedUntilMs: number | undefined
  #isAlwaysLimited = false
  #hasSent402 = false
  #wasLimited = false

  constructor(requestsPerMinute: number | undefined) {
    this.rate = new RateEstimator(requestsPerMinute)
  }

  /** Ends the wait of all requests whose key has this role. The engine does not send them. */
  rejectAll(key: PacedKeyRole): void {
    const rejected = this.waiting.filter(({ request }) => request.key === key)
    this.waiting = this.waiting.filter(({ request }) => request.key !== key)
    for (const { start } of rejected) start(undefined)
  }

  delayMs(tokens: number, requestsLeft: number, nowMs: number): number {
    const delays = [...this.#limits.values()].map((limit) =>
      limit.unit === 'tokens'
        ? limit.delayMs(
            { amount: tokens, inFlight: this.#tokensInFlight, needed: requestsLeft * this.#meanTokens },
            nowMs,
          )
        : limit.delayMs({ amount: 1, inFlight: this.#requestsInFlight, needed: requestsLeft }, nowMs),
    )
    return Math.max(this.rate.delayMs(nowMs), ...delays)
  }

  sent(tokens: number, nowMs: number): void {
    this.#requests += 1
    this.#tokens += tokens
    this.#requestsInFlight += 1
    this.#tokensInFlight += tokens
    for (const limit of this.#limits.values()) limit.sent(limit.unit === 'tokens' ? tokens : 1, nowMs)
  }

  ended(tokens: number): void {
    this.#requestsInFlight -= 1
    this.#tokensInFlight -= tokens
  }

  /**
   * Whether the target never sent a 402, and only 429s since the last result, even after the wait that the first of them
   * requires. The reason is then probably the account, not the rate.
   */
  get isAlwaysLimited(): boolean {
    return this.#isAlwaysLimited && !this.#hasSent402
  }

  /** Whether the target has sent a 429. */
  get wasLimited(): boolean {
    return this.#wasLimited
  }

  /** Records a 429. */
  limited(sentAtMs: number, nowMs: number, headers: Exchange['headers']): void {
    this.#wasLimited = true
    this.#limitedUntilMs ??= nowMs + (parseRetryAfterMs(headers, Date.now()) ?? MAX_LIMITED_MS) - TIMER_TOLERANCE_MS
    this.#isAlwaysLimited ||= sentAtMs >= this.#limitedUntilMs
  }

  /** Records a response other than a 429. Only a result or a 402 shows that the account is not the reason for 429s. */
  accepted(status: number): void {
    this.#hasSent402 ||= status === 402
    if (status >= 300) return
    this.#limitedUntilMs = undefined
    this.#isAlwaysLimited = false
  }

  update(headers: Exchange['headers'], nowMs: number): void {
    for (const report of parseRateLimitHeaders(headers, Date.now())) {
      const known = this.#limits.get(report.name)
      if (known !== undefined) known.update(report, nowMs)
      else if (this.#limits.size < MAX_LIMITS) this.#limits.set(report.name, new ReportedRateLimit(report, nowMs))
    }
  }

  get requestsAvailable(): number {
    const limits = [...this.#limits.values()].filter(({ unit }) => unit === 'requests')
    return limits.length === 0 ? 0 : Math.min(...limits.map(({ remaining }) => remaining))
  }

  get hasLimit(): boolean {
    return this.#limits.size > 0 || this.rate.perMs !== undefined
  }

  ratePerMs(requestsLeft: number): number | undefined {
    const rates = [...this.#limits.values()].map((limit) =>
      limit.unit === 'tokens'
        ? divide(limit.ratePerMs(requestsLeft * this.#meanTokens), this.#meanTokens)
        : limit.ratePerMs(requestsLeft),
    )
    const known = [this.rate.perMs, ...rates].filter((rate) => rate !== undefined)
    return known.length === 0 ? undefined : Math.min(...known)
  }

  get #meanTokens(): number {
    return this.#requests === 0 ? 0 : this.#tokens / this.#requests
  }
}

function divide(rate: number | undefined, by: number): number | undefined {
  return rate === undefined || by === 0 ? undefined : rate / by
}
