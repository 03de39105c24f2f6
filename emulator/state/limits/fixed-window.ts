import type { Clock } from '../clock.ts'
import { TOLERANCE_MS, type RateLimiter, type Consumption } from './meter.ts'

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
