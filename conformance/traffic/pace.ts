import type { Exchange } from '../http/exchange.ts'
import { parseRetryAfterMs } from '../http/retry-after.ts'
import { Lane, type PacedKeyRole, type PacedRequest, type SendPermit } from './lane.ts'
import { ParallelWindow } from './parallel-window.ts'
import type { RequestTimes } from './rate.ts'
import { MAX_INVALID_KEY_WAIT_MS, MAX_KEY_WAIT_MS, MIN_LIMITED_TOGETHER } from './policy.ts'

export interface PaceClock {
  /** Returns the milliseconds since the start of the run. */
  nowMs(): number
  /** Calls back after `ms` milliseconds. Returns a function that cancels the timer. */
  schedule(ms: number, callback: () => void): () => void
}

/** The 429s to a key since the last other response. Times are in milliseconds since the start of the run. */
interface Rejections {
  readonly sinceMs: number
  /** End of the wait that the last of them requires. */
  readonly untilMs: number
  /** `Retry-After` of the last of them, or 0. */
  readonly retryAfterMs: number
}

/** Decides when the run sends a request. The requests with one key wait in a lane, with the rate of that key. */
export class Pace {
  readonly #clock: PaceClock
  readonly #signal: AbortSignal
  readonly #parallel = new ParallelWindow()
  readonly #lanes: Record<PacedKeyRole, Lane>
  /** Returns an upper bound of the remaining requests, which need not wait if a reported limit allows them all. */
  requestsLeft: () => number = () => Infinity
  #limitedTogether = 0
  /** The 429s to each kind of key since the last other response. */
  readonly #rejections = new Map<PacedKeyRole, Rejections>()

  /** @param requestsPerMinute maximum rate for all keys together, set by the tester */
  constructor(requestsPerMinute: number | undefined, clock: PaceClock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    const funded = new Lane(requestsPerMinute)
    const createOther = (): Lane => (requestsPerMinute === undefined ? new Lane(undefined) : funded)
    this.#lanes = { funded, 'no-credits': createOther(), small: createOther(), invalid: createOther() }
  }

  /** Rate of the funded key that the tester set, or that follows from reported limits or 429s, in requests per minute. */
  get requestsPerMinute(): number | undefined {
    const { rate, reported } = this.#lanes.funded
    const perMs = Math.min(rate.knownPerMs, reported.perMs(this.requestsLeft()))
    return perMs === Infinity ? undefined : perMs * 60_000
  }

  /** Current maximum number of parallel requests. Undefined if the target has not rejected any because of their number. */
  get parallelLimit(): number | undefined {
    return this.#parallel.limit
  }

  /** Whether 429s to different keys have shown that all keys have a common limit, e.g. that of an IP address. */
  get hasCommonLimit(): boolean {
    return this.#limitedTogether >= MIN_LIMITED_TOGETHER
  }

  /** Whether the target limits the funded key, or all keys. A 429 to another key then is not about its account. */
  get limitsFundedKey(): boolean {
    return this.hasCommonLimit || this.#lanes.funded.wasLimited
  }

  /** Whether the target rejects requests even if the rate is low. */
  get rejectsAtAnyRate(): boolean {
    return Object.values(this.#lanes).some(({ rate }) => rate.rejectsAtAnyRate)
  }

  /** Returns the last 429s to a key if the target has sent nothing else for too long, or requires too long a wait. */
  findClosure(key: PacedKeyRole): Rejections | undefined {
    const rejections = this.#rejections.get(key)
    if (rejections === undefined) return undefined
    const maxMs = key === 'invalid' ? MAX_INVALID_KEY_WAIT_MS : MAX_KEY_WAIT_MS
    return rejections.untilMs - rejections.sinceMs > maxMs ? rejections : undefined
  }

  /** Returns whether a key gets 429s because its account has few credits, so that waiting is useless. */
  isLimitedByAccount(key: PacedKeyRole): boolean {
    const isOfAccount = key === 'no-credits' || key === 'small'
    return isOfAccount && !this.limitsFundedKey && this.#lanes[key].isAlwaysLimited
  }

  /** Waits for the turn of a request. Resolves to undefined if the run is aborted or the key must wait too long. */
  waitForPermit(request: PacedRequest): Promise<SendPermit | undefined> {
    return new Promise((resolve) => {
      // A listener that stays would keep the run's signal, and with it all its requests, in memory.
      const rejectIfAborted = (): void => this.#startNext()
      this.#signal.addEventListener('abort', rejectIfAborted)
      const start = (permit: SendPermit | undefined): void => {
        this.#signal.removeEventListener('abort', rejectIfAborted)
        resolve(permit)
      }
      const { waiting } = this.#lanes[request.key]
      // Rejected requests come before new ones.
      if (request.rejections > 0) waiting.unshift({ request, start })
      else waiting.push({ request, start })
      this.#startLane(this.#lanes[request.key])
    })
  }

  /** Starts a request of a burst at once. It still counts as a parallel request, and against a common limit. */
  startUnpaced(): SendPermit {
    this.#parallel.sent()
    const { rate } = this.#lanes.funded
    const sentAtMs = this.#clock.nowMs()
    if (this.hasCommonLimit) rate.sent(sentAtMs)
    const isCounted = this.hasCommonLimit
    return {
      end: () => {
        this.#parallel.ended()
        if (isCounted) rate.ended(sentAtMs, this.#clock.nowMs())
        this.#startNext()
      },
    }
  }

  #startNext(): void {
    for (const lane of new Set(Object.values(this.#lanes))) this.#startLane(lane)
  }

  /** Starts the waiting requests of a lane in order, up to the first one that must wait longer. */
  #startLane(lane: Lane): void {
    lane.cancelTimer()
    lane.rejectIf(({ key }) => this.#signal.aborted || this.findClosure(key) !== undefined)
    for (let next = lane.waiting[0]; next !== undefined && this.#parallel.hasRoom; next = lane.waiting[0]) {
      const { key, tokens } = next.request
      const delayMs = this.isLimitedByAccount(key) ? 0 : lane.delayMs(tokens, this.requestsLeft(), this.#clock.nowMs())
      if (delayMs > 0) {
        // If the delay is infinite, no timer is needed, because the next response restarts the lane.
        if (delayMs < Infinity) lane.cancelTimer = this.#clock.schedule(delayMs, () => this.#startLane(lane))
        return
      }
      lane.waiting.shift()
      next.start(this.#begin(lane, next.request))
    }
  }

  #begin(lane: Lane, request: PacedRequest): SendPermit {
    const { key, tokens } = request
    const sentAtMs = this.#clock.nowMs()
    const inFlight = this.#parallel.sent()
    lane.reported.sent(tokens, sentAtMs)
    lane.rate.sent(sentAtMs)
    return {
      end: ({ status, headers }) => {
        const nowMs = this.#clock.nowMs()
        this.#parallel.ended()
        lane.reported.ended(tokens)
        lane.rate.ended(sentAtMs, nowMs)
        // Only the funded key's headers count, because responses to other keys report the limits of other accounts.
        if (key === 'funded') lane.reported.update(headers, nowMs)
        if (status === 429) this.#limited(request, inFlight, { sentAtMs, nowMs, headers })
        else if (status !== 0) {
          this.#lanes[key].accepted(request, status, { sentAtMs, nowMs })
          this.#parallel.accepted(nowMs)
          this.#rejections.delete(key)
        }
        this.#startNext()
      },
    }
  }

  #limited(
    { key, operation }: PacedRequest,
    inFlight: number,
    { headers, ...times }: RequestTimes & Pick<Exchange, 'headers'>,
  ): void {
    const lane = this.#lanes[key]
    const limited = { ...times, retryAfterMs: parseRetryAfterMs(headers) }
    lane.limited(limited)
    if (this.isLimitedByAccount(key)) return
    // The target may reject each request of an operation. A limit on invalid keys says nothing about valid ones.
    const isAboutRate = lane.hasAccepted(operation) && (key === 'invalid' || this.#parallel.limited(inFlight, limited))
    lane.rate.limited(limited, isAboutRate)
    this.#rejections.set(key, {
      sinceMs: this.#rejections.get(key)?.sinceMs ?? times.nowMs,
      untilMs: lane.rate.blockedUntilMs,
      retryAfterMs: limited.retryAfterMs ?? 0,
    })
    const others = new Set(Object.values(this.#lanes))
    others.delete(lane)
    const isTogether = [...others].some(
      ({ rate }) => rate.lastLimitedMs < times.sentAtMs && times.sentAtMs < rate.blockedUntilMs,
    )
    if (isTogether) this.#limitedTogether += 1
    if (others.size > 0 && this.hasCommonLimit) this.#shareLane()
  }

  /** Moves the requests with all keys into the lane of the funded key. */
  #shareLane(): void {
    const { funded } = this.#lanes
    for (const lane of new Set(Object.values(this.#lanes))) {
      if (lane === funded) continue
      lane.cancelTimer()
      funded.waiting.push(...lane.waiting.splice(0))
      funded.rate.waitUntil(lane.rate.blockedUntilMs)
    }
    Object.assign(this.#lanes, { 'no-credits': funded, small: funded, invalid: funded })
  }
}
