/** Requests that are begun before sockets are read again. */
const PER_TURN = 8

/**
 * Lets a burst of requests through a few at a time, in order of arrival. Between them sockets are read, so that it is seen
 * when each request came in, and events that are due go out.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #taken = 0

  /** @returns a promise for whoever has to wait; undefined: go ahead */
  take(): Promise<void> | undefined {
    if (this.#taken === 0) setImmediate(() => this.#next())
    if (this.#taken < PER_TURN) {
      this.#taken += 1
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #next(): void {
    const next = this.#waiting.splice(0, PER_TURN)
    this.#taken = next.length
    if (next.length > 0) setImmediate(() => this.#next())
    for (const goAhead of next) goAhead()
  }
}
