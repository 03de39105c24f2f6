import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import { SECOND_LIMIT_MS } from './policy.ts'
import { Rate, type RateLimitedResponse, type RequestTimes } from './rate.ts'
import { ReportedLimits } from './reported-limit.ts'

/** Roles of keys with separate rate limits. `invalid` includes requests without a key. */
export type PacedKeyRole = 'funded' | 'no-credits' | 'small' | 'invalid'

/** A request that waits for its turn. */
export interface PacedRequest {
  readonly key: PacedKeyRole
  /** Operation of the request, undefined for an unknown endpoint. */
  readonly operation?: Operation | undefined
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

/** The queue and the rate limits of one key role. */
export class Lane {
  readonly rate: Rate
  readonly reported = new ReportedLimits()
  waiting: Waiting[] = []
  cancelTimer: () => void = () => undefined
  /** Time from which another 429 is not about the rate. */
  #limitedUntilMs: number | undefined
  #isAlwaysLimited = false
  #hasSent402 = false
  /** Whether the target has sent a 429. */
  wasLimited = false
  readonly #accepted = new Set<Operation | undefined>()

  constructor(requestsPerMinute: number | undefined) {
    this.rate = new Rate(requestsPerMinute)
  }

  /** Whether the target sends only 429s, even after the wait that the first one requires, and never sent a 402. */
  get isAlwaysLimited(): boolean {
    return this.#isAlwaysLimited && !this.#hasSent402
  }

  delayMs(tokens: number, requestsLeft: number, nowMs: number): number {
    return Math.max(this.rate.delayMs(nowMs), this.reported.delayMs(tokens, requestsLeft, nowMs))
  }

  /** Records a 429 for the account, but not for the rate. */
  limited({ sentAtMs, nowMs, retryAfterMs = SECOND_LIMIT_MS }: RateLimitedResponse): void {
    this.wasLimited = true
    this.#isAlwaysLimited ||= this.#limitedUntilMs !== undefined && sentAtMs >= this.#limitedUntilMs
    this.#limitedUntilMs ??= nowMs + retryAfterMs - TIMER_TOLERANCE_MS
  }

  /** Whether the target has sent a response other than a 429 to a request of the operation. */
  hasAccepted(operation: Operation | undefined): boolean {
    return this.#accepted.has(operation)
  }

  /** Records a response other than a 429. Only a result or a 402 shows that the account is not the reason for 429s. */
  accepted({ operation }: PacedRequest, status: number, { sentAtMs, nowMs }: RequestTimes): void {
    this.#accepted.add(operation)
    this.rate.accepted(sentAtMs, nowMs)
    this.#hasSent402 ||= status === 402
    if (status >= 300) return
    this.#limitedUntilMs = undefined
    this.#isAlwaysLimited = false
  }

  /** Ends the wait of requests that the run does not send. */
  rejectIf(isRejected: (request: PacedRequest) => boolean): void {
    const rejected = this.waiting.filter(({ request }) => isRejected(request))
    this.waiting = this.waiting.filter(({ request }) => !isRejected(request))
    for (const { start } of rejected) start(undefined)
  }
}

/** Tolerance for imprecise timers, in milliseconds. A request that is this much too early still counts. */
const TIMER_TOLERANCE_MS = 500
