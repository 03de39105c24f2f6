import type { Clock } from '../clock.ts'
import { TOLERANCE_MS, type RateLimiter, type Consumption } from './meter.ts'

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
