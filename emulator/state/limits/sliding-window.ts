import type { Clock } from '../clock.ts'
import { TOLERANCE_MS, type RateLimiter, type Consumption } from './meter.ts'

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
