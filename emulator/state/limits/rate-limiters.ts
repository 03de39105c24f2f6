import type { Clock } from '../clock.ts'

/** Limits the usage of one account. Amounts are positive integers: numbers of requests or tokens. */
export interface RateLimiter {
  /** Maximum amount of a single consumption. */
  readonly limit: number
  /**
   * Returns the milliseconds until `amount` is available, assuming no other consumption. Returns undefined if `amount`
   * exceeds the limit.
   */
  getWaitMs(amount: number): number | undefined
  /** Consumes an amount for which `getWaitMs` has returned 0. */
  consume(amount: number): Consumption
  /** Returns the available amount, rounded down. */
  getRemaining(): number
  /** Returns the milliseconds until the whole limit is available, assuming no other consumption. */
  getResetMs(): number
}

/** A consumed amount, which can be reduced later. */
export interface Consumption {
  /**
   * Reduces the consumed amount. The limiter then behaves as if only `amount` had been consumed at the original time.
   * Has no effect if the consumption has expired.
   */
  reduceTo(amount: number): void
}

/** Tolerance for rounding errors, so that a client that waits exactly the required time is not rejected. */
export const TIME_TOLERANCE_MS = 1e-6

/**
 * Maximum number of consumptions that can still be reduced, counted since the bucket was last full. Beyond it, the
 * oldest consumptions become final.
 */
const MAX_RECENT = 1000

interface RecentConsumption {
  readonly atMs: number
  amount: number
}

/**
 * A token bucket with capacity `limit` that refills continuously at `refillPerMs`. In any period, at most the limit
 * plus the refill of the period can be consumed.
 *
 * The level is computed from all consumptions since the bucket was last full. It cannot be a single number: if a past
 * consumption is reduced, the bucket may have been full earlier and overflowed.
 */
export class TokenBucket implements RateLimiter {
  readonly limit: number
  readonly #refillPerMs: number
  readonly #clock: Clock
  readonly #tolerance: number
  /** Fill level at the time `#atMs`, excluding the recent consumptions. */
  #level: number
  #atMs: number
  #recent: RecentConsumption[] = []

  constructor(clock: Clock, limit: number, refillPerMs: number) {
    this.limit = limit
    this.#clock = clock
    this.#refillPerMs = refillPerMs
    this.#tolerance = 1e-9 + refillPerMs * TIME_TOLERANCE_MS
    this.#level = limit
    this.#atMs = clock.nowMs()
  }

  getWaitMs(amount: number): number | undefined {
    if (amount > this.limit) return undefined
    const missing = amount - this.#levelAt(this.#clock.nowMs())
    return missing <= this.#tolerance ? 0 : missing / this.#refillPerMs
  }

  consume(amount: number): Consumption {
    const consumption = { atMs: this.#clock.nowMs(), amount }
    if (this.#levelAt(consumption.atMs) >= this.limit) this.#startFrom(this.limit, consumption.atMs, [])
    else if (this.#recent.length >= MAX_RECENT) this.#mergeOlderHalf()
    this.#recent.push(consumption)
    return {
      reduceTo(amount) {
        consumption.amount = Math.min(consumption.amount, amount)
      },
    }
  }

  getRemaining(): number {
    return Math.max(0, Math.floor(this.#levelAt(this.#clock.nowMs()) + this.#tolerance))
  }

  getResetMs(): number {
    return (this.limit - this.#levelAt(this.#clock.nowMs())) / this.#refillPerMs
  }

  #levelAt(atMs: number): number {
    return this.#refill(this.#levelAfter(this.#recent), atMs)
  }

  #levelAfter(consumptions: readonly RecentConsumption[]): RecentConsumption {
    let level = { atMs: this.#atMs, amount: this.#level }
    for (const { atMs, amount } of consumptions) level = { atMs, amount: this.#refill(level, atMs) - amount }
    return level
  }

  #refill(level: RecentConsumption, atMs: number): number {
    return Math.min(this.limit, level.amount + (atMs - level.atMs) * this.#refillPerMs)
  }

  #mergeOlderHalf(): void {
    const older = this.#recent.slice(0, MAX_RECENT / 2)
    const { amount, atMs } = this.#levelAfter(older)
    this.#startFrom(amount, atMs, this.#recent.slice(older.length))
  }

  #startFrom(level: number, atMs: number, recent: RecentConsumption[]): void {
    this.#level = level
    this.#atMs = atMs
    this.#recent = recent
  }
}

/** Adds a consumption to a period. After the end of the period, a reduction has no effect. */
function consumeIn(period: { used: number }, consumed: number): Consumption {
  period.used += consumed
  let counted = consumed
  return {
    reduceTo(amount) {
      const excess = Math.max(0, counted - amount)
      period.used -= excess
      counted -= excess
    },
  }
}

/**
 * Limits consumption to `limit` per window. A window starts with the first consumption after the previous window ends.
 * As with every fixed window, a period that spans two windows can reach twice the limit.
 */
export class FixedWindow implements RateLimiter {
  readonly limit: number
  readonly #windowMs: number
  readonly #clock: Clock
  #window = { endsMs: -Infinity, used: 0 }

  constructor(clock: Clock, limit: number, windowMs: number) {
    this.#clock = clock
    this.limit = limit
    this.#windowMs = windowMs
  }

  getWaitMs(amount: number): number | undefined {
    if (amount > this.limit) return undefined
    return this.#used() + amount <= this.limit ? 0 : this.#leftMs()
  }

  consume(amount: number): Consumption {
    if (this.#leftMs() === 0) this.#window = { endsMs: this.#clock.nowMs() + this.#windowMs, used: 0 }
    return consumeIn(this.#window, amount)
  }

  getRemaining(): number {
    return this.limit - this.#used()
  }

  getResetMs(): number {
    return this.#used() === 0 ? 0 : this.#leftMs()
  }

  #used(): number {
    return this.#leftMs() === 0 ? 0 : this.#window.used
  }

  #leftMs(): number {
    const leftMs = this.#window.endsMs - this.#clock.nowMs()
    return leftMs <= TIME_TOLERANCE_MS ? 0 : leftMs
  }
}

/**
 * Length of a slot as a fraction of the window. Consumptions within a slot are counted together, so memory does not
 * grow with the limit.
 */
const SLOT_FRACTION = 1 / 100

/** Consumptions within one slot of a sliding window. They are counted together and expire with the last one. */
interface Slot {
  readonly firstMs: number
  lastMs: number
  used: number
}

/**
 * Limits consumption to `limit` in any period of `windowMs`. Consumptions of a slot expire together, so a consumption
 * counts for up to 1 % longer than the window.
 */
export class SlidingWindow implements RateLimiter {
  readonly limit: number
  readonly #windowMs: number
  readonly #clock: Clock
  /** Slots of the window, oldest first. */
  readonly #slots: Slot[] = []

  constructor(clock: Clock, limit: number, windowMs: number) {
    this.#clock = clock
    this.limit = limit
    this.#windowMs = windowMs
  }

  getWaitMs(amount: number): number | undefined {
    if (amount > this.limit) return undefined
    let excess = this.#used() + amount - this.limit
    if (excess <= 0) return 0
    for (const slot of this.#slots) {
      excess -= slot.used
      if (excess <= 0) return this.#leftMs(slot)
    }
    return 0 // Unreachable, because without slots the whole limit is available.
  }

  consume(amount: number): Consumption {
    const nowMs = this.#clock.nowMs()
    const last = this.#slots.at(-1)
    const isClose = last !== undefined && nowMs - last.firstMs < this.#windowMs * SLOT_FRACTION
    const slot = isClose ? last : { firstMs: nowMs, lastMs: nowMs, used: 0 }
    if (slot !== last) this.#slots.push(slot)
    slot.lastMs = nowMs
    return consumeIn(slot, amount)
  }

  getRemaining(): number {
    return this.limit - this.#used()
  }

  getResetMs(): number {
    const last = this.#slots.findLast(({ used }) => used > 0)
    return last === undefined ? 0 : this.#leftMs(last)
  }

  #used(): number {
    this.#dropOld()
    return this.#slots.reduce((sum, { used }) => sum + used, 0)
  }

  #dropOld(): void {
    const stays = this.#slots.findIndex((slot) => this.#leftMs(slot) > 0)
    this.#slots.splice(0, stays === -1 ? this.#slots.length : stays)
  }

  #leftMs(slot: Slot): number {
    const leftMs = slot.lastMs + this.#windowMs - this.#clock.nowMs()
    return leftMs <= TIME_TOLERANCE_MS ? 0 : leftMs
  }
}
