import { UNITS_PER_CREDIT } from '../../contract/facts.ts'

/** Counts what a run sends against what it may send. Credits are counted by their upper bound, before a request goes out. */
export class Budget {
  #requests = 0
  #units = 0
  readonly #maxRequests: number
  readonly #maxUnits: number

  /** `maxCredits` in credits; what is not given is not limited. */
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

  /** Why so much more cannot be sent; undefined when it can. */
  refusal(requests: number, units: number): string | undefined {
    if (this.#requests + requests > this.#maxRequests) {
      return `The request budget is used up: give more with --max-requests (now ${this.#maxRequests}).`
    }
    if (this.#units + units > this.#maxUnits) {
      return `The credit budget is used up: give more with --max-credits (now ${this.#maxUnits / UNITS_PER_CREDIT}).`
    }
    return undefined
  }

  /** Counts one request that goes out. */
  spend(units: number): void {
    this.#requests += 1
    this.#units += units
  }
}
