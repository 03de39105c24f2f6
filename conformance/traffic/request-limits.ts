import { UNITS_PER_CREDIT } from '../../contract/facts.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'

/** Enforces `maxRequests` and `maxCredits`. Each request counts with its maximum cost before it is sent. */
export class SpendLimiter {
  requests = 0
  /** Upper bound of the cost so far, in units of 1/10000 credit. */
  units = 0
  readonly #maxRequests: number
  readonly #maxUnits: number

  /** @param limits `maxCredits` is in credits; a missing limit is not enforced */
  constructor(limits: { readonly maxRequests?: number | undefined; readonly maxCredits?: number | undefined }) {
    this.#maxRequests = limits.maxRequests ?? Number.POSITIVE_INFINITY
    this.#maxUnits = (limits.maxCredits ?? Number.POSITIVE_INFINITY) * UNITS_PER_CREDIT
  }

  /** Returns the limit that these additional requests or their cost, in `units`, would exceed. */
  obstacle(requests: number, units: number): RunObstacle | undefined {
    if (this.requests + requests > this.#maxRequests) {
      return { code: 'request-limit-reached', params: { maxRequests: this.#maxRequests } }
    }
    if (this.units + units > this.#maxUnits) {
      return { code: 'credit-limit-reached', params: { maxCredits: this.#maxUnits / UNITS_PER_CREDIT } }
    }
    return undefined
  }

  count(units: number): void {
    this.requests += 1
    this.units += units
  }
}

/** Account of the small key, whose requests add at most its balance to the cost of a run. */
export class SmallAccount {
  #leftUnits: number

  /** @param credits declared balance, or undefined if it is unknown, which allows any charge */
  constructor(credits: number | undefined) {
    this.#leftUnits = credits === undefined ? Infinity : credits * UNITS_PER_CREDIT
  }

  /** Charges at most the remaining balance. Returns the units charged. */
  charge(units: number): number {
    const charged = Math.min(units, this.#leftUnits)
    this.#leftUnits -= charged
    return charged
  }
}

/** Requests and cost of a run so far. Costs are in units of 0.0001 credit. */
export interface RunSpending {
  readonly requests: number
  /** Number of 429 responses to requests with a key whose limit no check tests. */
  readonly rateLimited: number
  /** Upper bound of the cost, in units. */
  readonly units: number
  readonly reportedUnits: number | undefined
}
