import { FIRST_PARALLEL, QUIET_MS } from './policy.ts'

/**
 * Maximum number of requests in flight. A 429 to one of several requests in flight may be about their number, so the run
 * then sends one fewer at the same time. If another 429 follows within a minute, all of them are about the rate.
 */
export class ParallelWindow {
  #size = FIRST_PARALLEL
  #inFlight = 0
  /** What 429s are about. */
  #reason: 'unknown' | 'number' | 'rate' = 'unknown'
  #changedMs = 0
  #lastLimitedMs = -1

  get hasRoom(): boolean {
    return this.#inFlight < this.#size
  }

  /** Current maximum. Undefined if the target has not rejected any request because of their number. */
  get limit(): number | undefined {
    return this.#reason === 'number' ? this.#size : undefined
  }

  /** Counts a request that starts. Returns the number of requests in flight, including this one. */
  sent(): number {
    this.#inFlight += 1
    return this.#inFlight
  }

  ended(): void {
    this.#inFlight -= 1
  }

  accepted(nowMs: number): void {
    if (this.#reason === 'number' && nowMs - this.#changedMs < QUIET_MS) return
    this.#size += 1
    this.#changedMs = nowMs
  }

  /** Records a 429. Returns whether it is about the rate. `inFlight` is the result of `sent`. */
  limited(inFlight: number, { sentAtMs, nowMs }: { readonly sentAtMs: number; readonly nowMs: number }): boolean {
    if (sentAtMs <= this.#lastLimitedMs || this.#reason === 'rate') return this.#reason === 'rate'
    this.#lastLimitedMs = nowMs
    if (this.#reason === 'number' && nowMs - this.#changedMs < QUIET_MS) this.#reason = 'rate'
    if (inFlight === 1 || this.#reason === 'rate') return true
    this.#reason = 'number'
    this.#changedMs = nowMs
    this.#size = inFlight - 1
    return false
  }
}
