import { type Operation, UNITS_PER_CREDIT } from '../../contract/facts.ts'
import { retryAfterMs } from '../http/retry-after.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'

/**
 * Counts the requests of a run against `maxRequests` and `maxCredits`. Before a request is sent, it counts the upper
 * bound of the cost.
 */
export class SpendLimiter {
  #requests = 0
  #units = 0
  readonly #maxRequests: number
  readonly #maxUnits: number

  /** @param maxCredits in credits; no limit if undefined */
  constructor(limits: { readonly maxRequests?: number; readonly maxCredits?: number }) {
    this.#maxRequests = limits.maxRequests ?? Number.POSITIVE_INFINITY
    this.#maxUnits = (limits.maxCredits ?? Number.POSITIVE_INFINITY) * UNITS_PER_CREDIT
  }

  get requests(): number {
    return this.#requests
  }

  /** In units of 1/10000 credit. */
  get units(): number {
    return this.#units
  }

  /** Returns the limit that this number of further requests would exceed; undefined if they may be sent. */
  obstacle(requests: number, units: number): RunObstacle | undefined {
    if (this.#requests + requests > this.#maxRequests) {
      return { code: 'request-limit-reached', params: { maxRequests: this.#maxRequests } }
    }
    if (this.#units + units > this.#maxUnits) {
      return { code: 'credit-limit-reached', params: { maxCredits: this.#maxUnits / UNITS_PER_CREDIT } }
    }
    return undefined
  }

  /** Counts one sent request. */
  count(units: number): void {
    this.#requests += 1
    this.#units += units
  }
}

const MAX_TIMEOUTS_IN_A_ROW = 2

/**
 * Stops sending to an operation after two time-outs in a row. A hanging target would otherwise take one deadline per
 * check.
 */
export class TimeoutBreaker {
  readonly #inARow = new Map<Operation, number>()
  readonly #timeoutMs: number

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** Records whether a request timed out. A stopped operation stays stopped. */
  record(operation: Operation, hasTimedOut: boolean): void {
    if (this.obstacle(operation) === undefined) {
      this.#inARow.set(operation, hasTimedOut ? (this.#inARow.get(operation) ?? 0) + 1 : 0)
    }
  }

  /** Returns why an operation is stopped; undefined while it responds. */
  obstacle(operation: Operation): RunObstacle | undefined {
    return (this.#inARow.get(operation) ?? 0) < MAX_TIMEOUTS_IN_A_ROW
      ? undefined
      : { code: 'operation-timed-out', params: { operation, timeoutMs: this.#timeoutMs } }
  }
}

/** Spaces requests evenly, to stay within a number of requests per minute. */
export class Pacer {
  readonly #intervalMs: number
  #nextMs = 0

  /** Without a rate, nothing is delayed. */
  constructor(requestsPerMinute: number | undefined) {
    this.#intervalMs = requestsPerMinute === undefined ? 0 : 60_000 / requestsPerMinute
  }

  /**
   * Reserves the next time slot.
   * @returns milliseconds from `nowMs` to the slot
   */
  delayMs(nowMs: number): number {
    const slotMs = Math.max(nowMs, this.#nextMs)
    this.#nextMs = slotMs + this.#intervalMs
    return slotMs - nowMs
  }
}

/** Maximum total time that one check waits after responses with status 429. */
const MAX_WAIT_MS = 30_000
const MAX_FAILED_WAITS_IN_A_ROW = 3
const FIRST_BACKOFF_MS = 1000
const MIN_FIRST_WAIT_MS = 50

/**
 * Decides how long to wait after a 429 before a retry. After three checks in a row that waited without success, there
 * are no more waits for that operation. Requests before the checks have no operation and are counted separately.
 */
export class RateLimitRetries {
  readonly #failedInARow = new Map<Operation | undefined, number>()

  /**
   * Returns the milliseconds until the next attempt; undefined if the check has waited long enough.
   * @param waitedMs how long the check has waited after responses with status 429 so far
   */
  delayMs(operation: Operation | undefined, waitMs: number, waitedMs: number): number | undefined {
    const failed = this.#failedInARow.get(operation) ?? 0
    if (failed < MAX_FAILED_WAITS_IN_A_ROW && waitedMs + waitMs <= MAX_WAIT_MS) {
      return waitMs
    }
    this.#failedInARow.set(operation, failed + 1)
    return undefined
  }

  /** Records a success: the key is no longer over its limit. */
  reset(operation: Operation | undefined): void {
    this.#failedInARow.set(operation, 0)
  }
}

/**
 * Returns the milliseconds to wait after a 429: Retry-After, or else an exponential backoff. A Retry-After of 0 still
 * causes a pause.
 * @param attempt number of retries so far
 */
export function waitAfterRateLimitMs(
  headers: Readonly<Record<string, string>>,
  attempt: number,
  nowMs: number,
): number {
  const namedMs = retryAfterMs(headers, nowMs) ?? FIRST_BACKOFF_MS * 2 ** attempt
  return Math.max(namedMs, MIN_FIRST_WAIT_MS * 2 ** attempt)
}
