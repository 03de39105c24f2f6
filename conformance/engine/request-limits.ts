import { type Operation, UNITS_PER_CREDIT } from '../../contract/facts.ts'
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

  /**
   * Creates a limiter that has counted nothing.
   * @param limits `maxCredits` is in credits; an absent limit is not enforced
   */
  constructor(limits: { readonly maxRequests?: number; readonly maxCredits?: number }) {
    this.#maxRequests = limits.maxRequests ?? Number.POSITIVE_INFINITY
    this.#maxUnits = (limits.maxCredits ?? Number.POSITIVE_INFINITY) * UNITS_PER_CREDIT
  }

  get requests(): number {
    return this.#requests
  }

  /** Upper bound of the cost counted so far, in units of 1/10000 credit. */
  get units(): number {
    return this.#units
  }

  /** Returns the limit that this number of further requests would exceed, or undefined if they may be sent. */
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

/** The account of the small key, which cannot be charged for more than its balance. */
export class SmallAccount {
  #leftUnits: number

  /**
   * Creates an account that has not been charged.
   * @param credits its declared balance, or undefined if it is unknown
   */
  constructor(credits: number | undefined) {
    this.#leftUnits = credits === undefined ? Infinity : credits * UNITS_PER_CREDIT
  }

  /** Returns the part of an upper bound, in units, that the account can still be charged for, and counts it. */
  charge(units: number): number {
    const charged = Math.min(units, this.#leftUnits)
    this.#leftUnits -= charged
    return charged
  }
}

const MAX_REPEATS = 5
const MAX_FAILED_IN_A_ROW = 3

/**
 * Decides whether to repeat a request after a 429. After three requests in a row with only 429 responses, requests to
 * that operation are no longer repeated. Requests before the checks have no operation and are counted separately.
 */
export class RateLimitRetries {
  readonly #failedInARow = new Map<Operation | undefined, number>()

  /**
   * Returns whether to repeat a request that got a 429.
   * @param rejections number of 429 responses to the request so far
   */
  mayRepeat(operation: Operation | undefined, refusals: number): boolean {
    const failed = this.#failedInARow.get(operation) ?? 0
    if (failed < MAX_FAILED_IN_A_ROW && refusals <= MAX_REPEATS) return true
    this.#failedInARow.set(operation, failed + 1)
    return false
  }

  /** Records a success: the key is within its limit again. */
  reset(operation: Operation | undefined): void {
    this.#failedInARow.set(operation, 0)
  }
}
