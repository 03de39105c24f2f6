import type { Exchange } from '../http/exchange.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import { LearnedRate } from './learned-rate.ts'
import { readLimitHeaders } from './limit-headers.ts'
import { ParallelWindow } from './parallel-window.ts'
import { ReportedLimit } from './reported-limit.ts'

/** Maximum wait that a target may ask for: twice a window of one minute. Requests that would wait longer are not sent. */
const MAX_WAIT_MS = 120_000
const FIRST_BACKOFF_MS = 1000
const MAX_BACKOFF_MS = 30_000
/** Minimum pause after a 429, even with Retry-After: 0. */
const MIN_WAIT_MS = 50

/** Keys that are paced separately: the funded key, the key without credits, and all others. */
export type PacedKey = 'funded' | 'no-credits' | 'other'

/** A request that waits for its turn. */
export interface PacedRequest {
  readonly key: PacedKey
  /** Upper bound of its tokens, prompt and completion. */
  readonly tokens: number
  /** How often it was refused with 429 before. */
  readonly refusals: number
}

/** Permission to send one request. */
export interface Turn {
  /** Frees the place of the request, and learns from its response. Called once. */
  end(response: Pick<Exchange, 'status' | 'headers'>): void
}

/** The time of a run, and what it still has to do. */
export interface PaceClock {
  /** Milliseconds since the run started. */
  nowMs(): number
  /** Calls back after `ms`. @returns a function that cancels it */
  schedule(ms: number, callback: () => void): () => void
}

/**
 * One pace for all requests of a run: how many are in flight, and how fast they follow each other. It is learned from
 * rate limit headers, Retry-After and responses with status 429. A 429 concerns the tester's key, not the target.
 */
export class Pace {
  readonly #clock: PaceClock
  readonly #signal: AbortSignal
  readonly #parallel = new ParallelWindow()
  readonly #lanes: Readonly<Record<PacedKey, Lane>>
  #requestsLeft: () => number = () => Infinity

  /** @param requestsPerMinute rate that the tester sets, for requests with any key */
  constructor(requestsPerMinute: number | undefined, clock: PaceClock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    const funded = new Lane(requestsPerMinute)
    const createOther = (): Lane => (requestsPerMinute === undefined ? new Lane(undefined) : funded)
    this.#lanes = { funded, 'no-credits': createOther(), other: createOther() }
    signal.addEventListener('abort', () => this.#startNext())
  }

  /** Sets how many requests the run still sends: limits that are large enough for them need no pace. */
  set requestsLeft(requestsLeft: () => number) {
    this.#requestsLeft = requestsLeft
  }

  /** Requests per minute that the key allows in the long run; undefined while no limit is known. */
  get requestsPerMinute(): number | undefined {
    const perMs = this.#lanes.funded.ratePerMs(this.#requestsLeft())
    return perMs === undefined ? undefined : perMs * 60_000
  }

  /** Number of requests that may be in flight. */
  get maxParallel(): number {
    return this.#parallel.size
  }

  /** The same, if the target has refused more; undefined if it has not. */
  get parallelLimit(): number | undefined {
    return this.#parallel.limit
  }

  /** Milliseconds that the target asks to wait, if that is more than the run waits. Requests of the key are not sent. */
  closedForMs(key: PacedKey): number | undefined {
    return this.#closedForMs(this.#lanes[key])
  }

  /** Waits until the request may be sent. Undefined if it cannot be: the run was aborted, or the key is closed. */
  waitForTurn(request: PacedRequest): Promise<Turn | undefined> {
    const lane = this.#lanes[request.key]
    return new Promise((resolve) => {
      const waiting = { request, start: resolve }
      // What was refused goes before requests that were never sent.
      if (request.refusals > 0) lane.waiting.unshift(waiting)
      else lane.waiting.push(waiting)
      this.#startLane(lane)
    })
  }

  /** Begins a request that waits for nothing, such as one of a burst. A limit on parallel requests may count it too. */
  beginUnpaced(): Turn {
    this.#parallel.sent()
    return {
      end: () => {
        this.#parallel.ended()
        this.#startNext()
      },
    }
  }

  #closedForMs({ rate }: Lane): number | undefined {
    const waitMs = rate.blockedUntilMs - this.#clock.nowMs()
    return waitMs > MAX_WAIT_MS ? waitMs : undefined
  }

  #startNext(): void {
    for (const lane of new Set(Object.values(this.#lanes))) this.#startLane(lane)
  }

  /** Starts the requests of a lane, in turn, until one has to wait. */
  #startLane(lane: Lane): void {
    lane.cancelTimer()
    if (this.#signal.aborted || this.#closedForMs(lane) !== undefined) {
      for (const { start } of lane.waiting.splice(0)) start(undefined)
    }
    for (let next = lane.waiting[0]; next !== undefined && this.#parallel.hasRoom; next = lane.waiting[0]) {
      const delayMs = lane.delayMs(next.request.tokens, this.#requestsLeft(), this.#clock.nowMs())
      if (delayMs > 0) {
        // Infinite delay: the next completed request resumes the queue.
        if (delayMs < Infinity) lane.cancelTimer = this.#clock.schedule(delayMs, () => this.#startLane(lane))
        return
      }
      lane.waiting.shift()
      next.start(this.#begin(lane, next.request))
    }
  }

  #begin(lane: Lane, { key, tokens, refusals }: PacedRequest): Turn {
    const sentAtMs = this.#clock.nowMs()
    const inFlight = this.#parallel.sent()
    lane.sent(tokens, sentAtMs)
    return {
      end: ({ status, headers }) => {
        const nowMs = this.#clock.nowMs()
        this.#parallel.ended()
        lane.ended(tokens)
        // Another key reports limits of another account.
        if (key === 'funded') lane.update(headers, nowMs)
        if (status === 429) {
          const limited = { sentAtMs, nowMs, waitMs: waitAfter(headers, refusals) }
          lane.rate.limited(limited, !this.#parallel.limited(inFlight, limited))
        } else if (status !== 0) {
          this.#parallel.accepted(inFlight)
          lane.rate.accepted()
        }
        this.#startNext()
      },
    }
  }
}

interface Waiting {
  readonly request: PacedRequest
  start(turn: Turn | undefined): void
}

/** The requests of one key, or of all keys whose limits are not known. */
class Lane {
  readonly waiting: Waiting[] = []
  readonly rate: LearnedRate
  cancelTimer: () => void = () => undefined
  readonly #limits = new Map<string, ReportedLimit>()
  #requests = 0
  #tokens = 0
  #requestsInFlight = 0
  #tokensInFlight = 0

  constructor(requestsPerMinute: number | undefined) {
    this.rate = new LearnedRate(requestsPerMinute)
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
    this.rate.sent(nowMs)
    for (const limit of this.#limits.values()) limit.sent(limit.unit === 'tokens' ? tokens : 1, nowMs)
  }

  ended(tokens: number): void {
    this.#requestsInFlight -= 1
    this.#tokensInFlight -= tokens
  }

  update(headers: Exchange['headers'], nowMs: number): void {
    for (const report of readLimitHeaders(headers, Date.now())) {
      const known = this.#limits.get(report.name)
      if (known === undefined) this.#limits.set(report.name, new ReportedLimit(report, nowMs))
      else known.update(report, nowMs)
    }
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

  /** Tokens of a request on average. */
  get #meanTokens(): number {
    return this.#requests === 0 ? 0 : this.#tokens / this.#requests
  }
}

function divide(rate: number | undefined, by: number): number | undefined {
  return rate === undefined || by === 0 ? undefined : rate / by
}

function waitAfter(headers: Exchange['headers'], refusals: number): number {
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** refusals, MAX_BACKOFF_MS)
  return Math.max(retryAfterMs(headers, Date.now()) ?? backoffMs, MIN_WAIT_MS * 2 ** refusals)
}
