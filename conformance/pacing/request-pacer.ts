import type { Exchange } from '../http/exchange.ts'
import { parseRetryAfterMs } from '../http/retry-after.ts'
import { CommonLimitDetector } from './common-limit-detector.ts'
import { Lane, type PacedKeyRole, type PacedRequest, type SendPermit } from './key-lane.ts'
import { RateEstimator } from './rate-estimator.ts'
import { ParallelWindow } from './parallel-window.ts'

/**
 * Maximum wait that a target can request, in milliseconds: two windows of one minute. The engine does not send requests
 * that would have to wait longer.
 */
const MAX_WAIT_MS = 120_000
const FIRST_BACKOFF_MS = 1000
const MAX_BACKOFF_MS = 30_000
/**
 * Minimum pause after the first 429 of a request in milliseconds, even with `Retry-After: 0`. It doubles with each
 * further 429.
 */
const MIN_WAIT_MS = 50

/**
 * Longest time in which requests with an invalid key, or without one, get only 429s, including the next wait, in
 * milliseconds: a window of one minute and a margin. Afterwards, the run sends no more of these requests.
 */
const MAX_INVALID_KEY_WAIT_MS = 65_000

export interface PaceClock {
  /** Returns the milliseconds since the start of the run. */
  nowMs(): number
  /**
   * Calls back after `ms` milliseconds.
   * @returns a function that cancels the timer
   */
  schedule(ms: number, callback: () => void): () => void
}

/**
 * Limits the rate and the parallelism of all requests of a run. Derives both limits from rate limit headers,
 * Retry-After and 429s. A 429 depends on the tester's key, so it is not an error of the target.
 */
export class RequestPacer {
  readonly #clock: PaceClock
  readonly #signal: AbortSignal
  readonly #parallel = new ParallelWindow()
  readonly #lanes: Readonly<Record<PacedKeyRole, Lane>>
  #requestsLeft: () => number = () => Infinity
  /** Time of the first 429 since the last other response to an invalid key. */
  #invalidKeyLimitedMs: number | undefined
  #hasGivenUp = false
  /**
   * Rate limit of all keys together, e.g. of an IP address. It records all responses, but delays requests only after
   * 429s to different keys show that their limit is a common one.
   */
  readonly #common: RateEstimator
  readonly #commonLimit = new CommonLimitDetector<Lane>()

  /** @param requestsPerMinute maximum rate for all keys together, set by the tester */
  constructor(requestsPerMinute: number | undefined, clock: PaceClock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    const funded = new Lane(requestsPerMinute)
    this.#common = requestsPerMinute === undefined ? new RateEstimator(undefined) : funded.rate
    const createOther = (): Lane => (requestsPerMinute === undefined ? new Lane(undefined) : funded)
    this.#lanes = { funded, 'no-credits': createOther(), small: createOther(), invalid: createOther() }
    signal.addEventListener('abort', () => this.#startNext())
  }

  /**
   * Sets a function that returns the number of remaining requests of the run. If a limit is sufficient for them,
   * requests do not wait.
   */
  set requestsLeft(requestsLeft: () => number) {
    this.#requestsLeft = requestsLeft
  }

  /**
   * Sustained rate of the funded key, in requests per minute. Undefined while no limit is known, or if the limits are
   * sufficient for the rest of the run.
   */
  get requestsPerMinute(): number | undefined {
    const perMs = this.#lanes.funded.ratePerMs(this.#requestsLeft())
    return perMs === undefined ? undefined : perMs * 60_000
  }

  /**
   * Number of requests that the reported limits of the funded key allow immediately. It is 0 without a reported limit.
   */
  get requestsAvailable(): number {
    return this.#lanes.funded.requestsAvailable
  }

  /** Whether the pacer limits the rate of the funded key or the number of parallel requests. */
  get hasLimit(): boolean {
    return this.#lanes.funded.hasLimit || this.parallelLimit !== undefined
  }

  /**
   * Current maximum number of parallel requests. Undefined if the target has not rejected any because of their number.
   */
  get parallelLimit(): number | undefined {
    return this.#parallel.limit
  }

  /** Whether 429s to different keys have shown that all keys have a common limit, e.g. that of an IP address. */
  get hasCommonLimit(): boolean {
    return this.#commonLimit.isFound
  }

  /**
   * Returns the wait in milliseconds that the target requests for the key, if it exceeds `MAX_WAIT_MS`. The engine then
   * sends no more requests with this key. Otherwise returns undefined.
   */
  closedForMs(key: PacedKeyRole): number | undefined {
    return this.#closedForMs(this.#lanes[key])
  }

  /**
   * Returns whether the target sent only 429s to requests with this kind of key for too long. The engine then sends no
   * more of them.
   */
  hasGivenUp(key: PacedKeyRole): boolean {
    return key === 'invalid' && this.#hasGivenUp
  }

  /**
   * Returns whether the target sent only 429s to a key of an account with few or no credits, even after the wait that
   * they require, but none to the funded key. Some services send 429 instead of 402, so waiting is useless.
   */
  isLimitedByAccount(key: PacedKeyRole): boolean {
    const isOfAccount = key === 'no-credits' || key === 'small'
    const { funded } = this.#lanes
    return isOfAccount && !this.hasCommonLimit && !funded.wasLimited && this.#lanes[key].isAlwaysLimited
  }

  /** Waits for the turn of a request. Resolves to undefined if the run is aborted or the key must wait too long. */
  waitForPermit(request: PacedRequest): Promise<SendPermit | undefined> {
    const lane = this.#lanes[request.key]
    return new Promise((resolve) => {
      const waiting = { request, start: resolve }
      // Rejected requests come before new ones.
      if (request.rejections > 0) lane.waiting.unshift(waiting)
      else lane.waiting.push(waiting)
      this.#startLane(lane)
    })
  }

  /**
   * Starts a request immediately, e.g. a request of a burst. It still counts as a parallel request, and against the
   * common limit of all keys.
   */
  startUnpaced(): SendPermit {
    const sentAtMs = this.#clock.nowMs()
    this.#parallel.sent('unpaced')
    const rates = this.hasCommonLimit ? [this.#common] : []
    for (const rate of rates) rate.sent(sentAtMs)
    return {
      end: () => {
        this.#parallel.ended('unpaced')
        for (const rate of rates) rate.ended(sentAtMs, this.#clock.nowMs())
        this.#startNext()
      },
    }
  }

  /**
   * Called when a request with the funded key got only 429s, although each repeat waited longer. The rate is then not
   * their reason, so it does not limit other requests.
   */
  forgetRate(): void {
    for (const rate of [this.#lanes.funded.rate, this.#common]) rate.forget()
    this.#startNext()
  }

  /** Number of remaining requests of the run. It is 0 if it is unknown. */
  get #knownRequestsLeft(): number {
    const left = this.#requestsLeft()
    return left === Infinity ? 0 : left
  }

  #closedForMs({ rate }: Lane): number | undefined {
    const waitMs = rate.blockedUntilMs - this.#clock.nowMs()
    return waitMs > MAX_WAIT_MS ? waitMs : undefined
  }

  #startNext(): void {
    for (const lane of new Set(Object.values(this.#lanes))) this.#startLane(lane)
  }

  /** Starts the waiting requests of a lane in order, up to the first one that must wait longer. */
  #startLane(lane: Lane): void {
    lane.cancelTimer()
    if (this.#signal.aborted || this.#closedForMs(lane) !== undefined) {
      for (const { start } of lane.waiting.splice(0)) start(undefined)
    }
    if (this.#hasGivenUp) lane.rejectAll('invalid')
    for (let next = lane.waiting[0]; next !== undefined && this.#parallel.hasRoom; next = lane.waiting[0]) {
      const { key, tokens } = next.request
      const delayMs = this.isLimitedByAccount(key) ? 0 : lane.delayMs(tokens, this.#requestsLeft(), this.#clock.nowMs())
      if (delayMs > 0) {
        // If the delay is infinite, no timer is needed, because the next response restarts the lane.
        if (delayMs < Infinity) lane.cancelTimer = this.#clock.schedule(delayMs, () => this.#startLane(lane))
        return
      }
      lane.waiting.shift()
      next.start(this.#begin(lane, next.request))
    }
  }

  #begin(lane: Lane, { key, tokens, rejections }: PacedRequest): SendPermit {
    const sentAtMs = this.#clock.nowMs()
    const inFlight = this.#parallel.sent(key)
    lane.sent(tokens, sentAtMs)
    const rates = new Set([lane.rate, this.#common])
    for (const rate of rates) rate.sent(sentAtMs)
    return {
      end: ({ status, headers }) => {
        const nowMs = this.#clock.nowMs()
        this.#parallel.ended(key)
        lane.ended(tokens)
        for (const rate of rates) rate.ended(sentAtMs, nowMs)
        // Only the funded key's headers count, because responses to other keys report the limits of other accounts.
        if (key === 'funded') lane.update(headers, nowMs)
        if (status === 429) {
          const limited = { sentAtMs, nowMs, waitMs: waitAfter(headers, rejections) }
          lane.limited(sentAtMs, nowMs, headers)
          if (this.isLimitedByAccount(key)) {
            this.#commonLimit.forget(lane)
            this.#startNext()
            return
          }
          // A limit on invalid keys does not show how many parallel requests with a valid key the target accepts.
          const isAboutRate = key === 'invalid' || !this.#parallel.limited(inFlight, limited)
          for (const rate of rates) rate.limited(limited, isAboutRate)
          if (isAboutRate && this.#commonLimit.limited(lane, limited)) this.#useCommonRate()
          if (key === 'invalid') this.#limitInvalidKeys(lane, nowMs)
        } else if (status !== 0) {
          lane.accepted(status)
          if (key === 'invalid') this.#invalidKeyLimitedMs = undefined
          this.#parallel.accepted(inFlight)
          for (const rate of rates) rate.accepted(sentAtMs, key === 'funded' ? this.#knownRequestsLeft : 0)
          this.#commonLimit.accepted(sentAtMs)
        }
        this.#startNext()
      },
    }
  }

  #useCommonRate(): void {
    for (const lane of Object.values(this.#lanes)) lane.rate = this.#common
  }

  #limitInvalidKeys({ rate }: Lane, nowMs: number): void {
    this.#invalidKeyLimitedMs ??= nowMs
    this.#hasGivenUp ||= Math.max(nowMs, rate.blockedUntilMs) - this.#invalidKeyLimitedMs > MAX_INVALID_KEY_WAIT_MS
  }
}

function waitAfter(headers: Exchange['headers'], rejections: number): number {
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** rejections, MAX_BACKOFF_MS)
  return Math.max(parseRetryAfterMs(headers, Date.now()) ?? backoffMs, MIN_WAIT_MS * 2 ** rejections)
}
