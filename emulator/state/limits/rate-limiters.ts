import type { Clock } from '../clock.ts'

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

/** Takes that can still be corrected: beyond this many in a row without a full bucket, the oldest stay as they are. */
const MAX_RECENT = 1000

interface RecentConsumption {
  readonly atMs: number
  amount: number
}

/**
 * A bucket that holds `limit` and is refilled evenly, `refillPerMs` each millisecond. In no stretch of time is more taken out of
 * it than the limit and what flows in meanwhile.
 *
 * A correction changes the past: the bucket may then have been full, and have overflowed, where it was not before. So the
 * level is worked out anew from the takes since the bucket was last full, to which no older take makes a difference.
 */
export class TokenBucket implements RateLimiter {
  readonly limit: number
  readonly #refillPerMs: number
  readonly #clock: Clock
  readonly #tolerance: number
  /** The level at `#atMs`, before the recent takes. */
  #level: number
  #atMs: number
  #recent: RecentConsumption[] = []

  constructor(clock: Clock, limit: number, refillPerMs: number) {
    this.limit = limit
    this.#clock = clock
    this.#refillPerMs = refillPerMs
    this.#tolerance = 1e-9 + refillPerMs * TOLERANCE_MS
    this.#level = limit
    this.#atMs = clock.nowMs()
  }

  waitMs(amount: number): number | undefined {
    if (amount > this.limit) return undefined
    const missing = amount - this.#levelAt(this.#clock.nowMs())
    return missing <= this.#tolerance ? 0 : missing / this.#refillPerMs
  }

  consume(amount: number): Consumption {
    const take = { atMs: this.#clock.nowMs(), amount }
    if (this.#levelAt(take.atMs) >= this.limit) this.#startFrom(this.limit, take.atMs, [])
    else if (this.#recent.length >= MAX_RECENT) this.#mergeOlderHalf()
    this.#recent.push(take)
    return {
      reduceTo(amount) {
        take.amount = Math.min(take.amount, amount)
      },
    }
  }

  remaining(): number {
    return Math.max(0, Math.floor(this.#levelAt(this.#clock.nowMs()) + this.#tolerance))
  }

  resetMs(): number {
    return (this.limit - this.#levelAt(this.#clock.nowMs())) / this.#refillPerMs
  }

  #levelAt(atMs: number): number {
    return this.#refill(this.#levelAfter(this.#recent), atMs)
  }

  #levelAfter(takes: readonly RecentConsumption[]): RecentConsumption {
    let level = { atMs: this.#atMs, amount: this.#level }
    for (const { atMs, amount } of takes) level = { atMs, amount: this.#refill(level, atMs) - amount }
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

/**
 * Windows of `windowMs`, each of which begins with the first take after the one before it ended. In no such window is more
 * taken than `limit`; in a stretch of time that lies across two of them it can be twice as much, as with every fixed window.
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

  waitMs(amount: number): number | undefined {
    if (amount > this.limit) return undefined
    return this.#used() + amount <= this.limit ? 0 : this.#leftMs()
  }

  consume(amount: number): Consumption {
    if (this.#leftMs() === 0) this.#window = { endsMs: this.#clock.nowMs() + this.#windowMs, used: 0 }
    const window = this.#window
    window.used += amount
    let counted = amount
    return {
      reduceTo(amount) {
        const excess = Math.max(0, counted - amount)
        window.used -= excess // of a window that is over it makes no difference
        counted -= excess
      },
    }
  }

  remaining(): number {
    return this.limit - this.#used()
  }

  resetMs(): number {
    return this.#used() === 0 ? 0 : this.#leftMs()
  }

  #used(): number {
    return this.#leftMs() === 0 ? 0 : this.#window.used
  }

  #leftMs(): number {
    const leftMs = this.#window.endsMs - this.#clock.nowMs()
    return leftMs <= TOLERANCE_MS ? 0 : leftMs
  }
}

/** Takes within this share of a window are counted together, from the last of them: memory does not grow with the limit. */
const SLOT_SHARE = 1 / 100

/** Takes that are counted together. */
interface Slot {
  readonly firstMs: number
  lastMs: number
  used: number
}

/**
 * In no stretch of `windowMs`, wherever it begins, is more taken than `limit`. Takes that follow each other closely leave the
 * window with the last of them, so that a take counts for at most 1 % longer than the window.
 */
export class SlidingWindow implements RateLimiter {
  readonly limit: number
  readonly #windowMs: number
  readonly #clock: Clock
  /** Oldest first. */
  readonly #slots: Slot[] = []

  constructor(clock: Clock, limit: number, windowMs: number) {
    this.#clock = clock
    this.limit = limit
    this.#windowMs = windowMs
  }

  waitMs(amount: number): number | undefined {
    if (amount > this.limit) return undefined
    let excess = this.#used() + amount - this.limit
    if (excess <= 0) return 0
    for (const slot of this.#slots) {
      excess -= slot.used
      if (excess <= 0) return this.#leftMs(slot)
    }
    return 0 // not reached: without any slot the whole limit is there
  }

  consume(amount: number): Consumption {
    const nowMs = this.#clock.nowMs()
    const last = this.#slots.at(-1)
    const isClose = last !== undefined && nowMs - last.firstMs < this.#windowMs * SLOT_SHARE
    const slot = isClose ? last : { firstMs: nowMs, lastMs: nowMs, used: 0 }
    if (slot !== last) this.#slots.push(slot)
    slot.lastMs = nowMs
    slot.used += amount
    let counted = amount
    return {
      reduceTo(amount) {
        const excess = Math.max(0, counted - amount)
        slot.used -= excess // of a slot that has left the window it makes no difference
        counted -= excess
      },
    }
  }

  remaining(): number {
    return this.limit - this.#used()
  }

  resetMs(): number {
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
    return leftMs <= TOLERANCE_MS ? 0 : leftMs
  }
}
