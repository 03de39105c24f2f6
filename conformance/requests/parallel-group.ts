/** Delay of the next attempt in milliseconds, or undefined if there is none. */
type Delay = number | undefined

/** Parallel requests of a check. If one breaks down, all are sent again, because the reason may be the others. */
export class ParallelGroup {
  /** Number of requests of the group. */
  readonly size: number
  #left: number
  readonly #ended: { readonly delayMs: Delay; resolve(agreed: Delay): void }[] = []

  constructor(size: number) {
    this.size = size
    this.#left = size
  }

  /** Waits until every attempt of the group has ended. Returns the longest delay that one of them needs, if any. */
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
