/** Spreads requests evenly, so that no more than some per minute are sent. */
export class Pace {
  readonly #gapMs: number
  #nextMs = 0

  /** Without a number nothing waits. */
  constructor(requestsPerMinute: number | undefined) {
    this.#gapMs = requestsPerMinute === undefined ? 0 : 60_000 / requestsPerMinute
  }

  /** Takes the next turn. @returns milliseconds to wait for it from `nowMs` on */
  takeTurn(nowMs: number): number {
    const turnMs = Math.max(nowMs, this.#nextMs)
    this.#nextMs = turnMs + this.#gapMs
    return turnMs - nowMs
  }
}
