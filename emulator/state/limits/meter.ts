/** Counts what one account uses against one limit, by one of the algorithms. Amounts are whole numbers above 0. */
export interface RateLimiter {
  /** The most that can be there at once. */
  readonly limit: number
  /** Milliseconds until `amount` is there if nothing else is taken; 0: now; undefined: it is more than the limit. */
  waitMs(amount: number): number | undefined
  /** Takes what `waitMs` said is there. */
  consume(amount: number): Consumption
  /** How much is there now, rounded down. */
  remaining(): number
  /** Milliseconds until the whole limit is there if nothing else is taken. */
  resetMs(): number
}

/** Something taken, which may turn out to have been too much. */
export interface Consumption {
  /**
   * Counts `amount` instead of what was taken, which was no less: from now on the meter is as if only that had been taken
   * then. What no longer counts is not given back a second time.
   */
  reduceTo(amount: number): void
}

/** Sums of fractions of a millisecond are off by less: whoever waits exactly as told does not come too early for it. */
export const TOLERANCE_MS = 1e-6
