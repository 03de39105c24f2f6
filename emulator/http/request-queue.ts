/** Requests that are begun before sockets are read again. */
const PER_TURN = 8

/**
 * Lets requests through a few at a time, in order of arrival, when the sockets that had something were read. Between them
 * sockets are read again, so that it is seen when each request came in, and events that are due go out. Nearly every body is
 * there by then, and need not be waited for.
 */
export class RequestQueue {
  readonly #waiting: (() => void)[] = []

  /** Runs `begin` at one of the event loop's next turns. It must not throw. */
  take(begin: () => void): void {
    if (this.#waiting.push(begin) === 1) setImmediate(this.#next)
  }

  readonly #next = () => {
    const next = this.#waiting.splice(0, PER_TURN)
    if (this.#waiting.length > 0) setImmediate(this.#next)
    for (const begin of next) begin()
  }
}
