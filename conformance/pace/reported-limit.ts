import type { LimitReport } from './limit-headers.ts'

/** Use must grow by this factor to show whether the time until the reset grows with it. */
const TELLING_FACTOR = 3
/** Minimum ratio of the reset time per use, later to first, in a bucket: about 1 there, a third or less in a window. */
const MIN_BUCKET_SHARE = 0.5
/** A limit this small belongs to a bucket: a window would allow hardly anything. */
const MAX_BUCKET_ONLY = 2

/** Until use has told: the end of a window is at least this far away when it begins, the reset of a full bucket is near. */
const USUAL_WINDOW_MS = 20_000

/** What was used when a response reported it, and the time until the reset. */
interface Reset {
  readonly used: number
  readonly resetMs: number
}

/** What a request uses of a limit, in requests or tokens. */
export interface Use {
  readonly amount: number
  /** The same of all requests in flight. */
  readonly inFlight: number
  /** The same of all requests that the run still sends: if that much remains, nothing has to be spread. */
  readonly needed: number
}

/**
 * A rate limit whose state every response reports. It keeps the amount in flight below what remains, and spreads
 * requests so that the limit lasts until it is renewed. It does not have to know how the target counts:
 *
 * - In a window, what remains is spread over the time until the window ends.
 * - A bucket refills while it is used. At half its capacity both rules below give exactly its rate.
 */
export class ReportedLimit {
  #report: LimitReport
  #reportedAtMs: number
  #nextMs = 0
  #longestResetMs = 0
  #firstReset: Reset | undefined
  #mostReset: Reset | undefined

  constructor(report: LimitReport, nowMs: number) {
    this.#report = report
    this.#reportedAtMs = nowMs
    this.update(report, nowMs)
  }

  get unit(): LimitReport['unit'] {
    return this.#report.unit
  }

  update(report: LimitReport, nowMs: number): void {
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

  /** Returns the milliseconds until a request may be sent; Infinity if it must wait for a request in flight. */
  delayMs({ amount, inFlight, needed }: Use, nowMs: number): number {
    const { remaining, limit = Infinity, resetMs = 0 } = this.#report
    const left = remaining - inFlight
    // A request that exceeds the limit by itself is sent when everything is available.
    if (amount === 0 || left >= Math.min(amount, limit)) {
      return left >= needed ? 0 : Math.max(0, this.#nextMs - nowMs)
    }
    if (inFlight > 0) return Infinity
    // The first request after the reset reports the new remainder.
    return Math.max(0, this.#reportedAtMs + resetMs - nowMs)
  }

  /** Counts a request, and sets the earliest time of the next one. */
  sent(amount: number, nowMs: number): void {
    this.#nextMs = Math.max(nowMs, this.#nextMs) + amount * this.#intervalMs()
  }

  /** Milliseconds for each unit of the amount. */
  #intervalMs(): number {
    const { remaining, limit = 0, resetMs = 0 } = this.#report
    const used = limit - remaining
    const untilRenewed = remaining > 0 ? resetMs / remaining : 0
    return used > 0 ? Math.min(untilRenewed, resetMs / used) : untilRenewed
  }

  /**
   * The amount per millisecond that the limit allows in the long run, about. Undefined while nothing of it was used, and
   * for a limit that is larger than what the run needs.
   */
  ratePerMs(needed: number): number | undefined {
    const { limit, remaining } = this.#report
    if (remaining >= needed) return undefined
    const [first, most] = [this.#firstReset, this.#mostReset]
    if (limit === undefined || first === undefined || most === undefined) return undefined
    const ofBucket = most.used / most.resetMs
    if (limit <= MAX_BUCKET_ONLY) return ofBucket
    const isTold = most.used >= TELLING_FACTOR * first.used
    const isBucket = isTold
      ? most.resetMs / most.used >= (MIN_BUCKET_SHARE * first.resetMs) / first.used
      : first.resetMs < USUAL_WINDOW_MS
    return isBucket ? ofBucket : limit / this.#longestResetMs
  }
}
