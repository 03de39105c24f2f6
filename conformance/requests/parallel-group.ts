/** Delay of the next attempt in milliseconds, or undefined if there is none. */
type Delay = number | undefined

/**
 * Requests that a check sends in parallel. If one of them breaks down, all of them are sent again in parallel, because a
 * repeat that runs alone would hide an error that occurs only in parallel.
 */
export class ParallelGroup {
  /** Number of requests of the group. */
  readonly size: number
  #left: number
  readonly #ended: { readonly delayMs: Delay; resolve(agreed: Delay): void }[] = []

  constructor(size: number) {
    this.size = size
    this.#left = size
  }

  /**
   * Waits until every request of the group has ended its attempt.
   * @param delayMs delay that the request needs before its next attempt, or undefined if it needs none
   * @returns the longest delay that one of the requests needs, or undefined if none needs another attempt
   */
  agree(delayMs: Delay): Promise<Delay> {
    return new Promise((resolve) => {
      this.#ended.push({ delayMs, resolve })
      this.#settle()
    })
  }

  /** Ends the membership of a request that is not sent again. */
  leave(): void {
    this.#left -= 1
    this.#settle()
  }

  #settle(): void {
    if (this.#ended.length < this.#left) return
    const ended = this.#ended.splice(0)
    const delays = ended.flatMap(({ delayMs }) => delayMs ?? [])
    const agreed = delays.length === 0 ? undefined : Math.max(...delays)
    for (const { resolve } of ended) resolve(agreed)
  }
}
