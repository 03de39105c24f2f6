/** Maximum number of requests started before sockets are read again. */
const PER_TURN = 8

/**
 * Starts requests a few at a time, in order of arrival, after sockets with data have been read. Between the groups the
 * event loop reads sockets again, which records arrival times and writes overdue events. Nearly every body has arrived
 * by then.
 */
export class RequestQueue {
  readonly #waiting: (() => void)[] = []

  /** Runs `begin` in one of the next turns of the event loop. `begin` must not throw. */
  take(begin: () => void): void {
    if (this.#waiting.push(begin) === 1) setImmediate(this.#next)
  }

  readonly #next = () => {
    const next = this.#waiting.splice(0, PER_TURN)
    if (this.#waiting.length > 0) setImmediate(this.#next)
    for (const begin of next) begin()
  }
}
