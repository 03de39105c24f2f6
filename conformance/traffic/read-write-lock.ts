/** A lock that several shared holders or one exclusive holder can acquire. */
export class ReadWriteLock {
  #running = 0
  #isAlone = false
  readonly #waitingToShare: (() => void)[] = []
  readonly #waitingAlone: (() => void)[] = []

  /** Calls `work` in parallel with other shared holders, after an exclusive one that holds the lock or waits. */
  async shared<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isAlone || this.#waitingAlone.length > 0) {
      await new Promise<void>((resolve) => this.#waitingToShare.push(resolve))
    } else {
      this.#running += 1
    }
    try {
      return await work()
    } finally {
      this.#running -= 1
      this.#next()
    }
  }

  /** Calls `work` after all current holders have released the lock. Later callers wait until `work` ends. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isAlone || this.#running > 0) {
      await new Promise<void>((resolve) => this.#waitingAlone.push(resolve))
    } else {
      this.#isAlone = true
    }
    try {
      return await work()
    } finally {
      this.#isAlone = false
      this.#next()
    }
  }

  /** Passes the lock to the next waiters. Marks it as held first, so that no other caller acquires it in between. */
  #next(): void {
    if (this.#isAlone) return
    if (this.#waitingAlone.length > 0) {
      if (this.#running > 0) return
      this.#isAlone = true
      this.#waitingAlone.shift()?.()
      return
    }
    for (const wake of this.#waitingToShare.splice(0)) {
      this.#running += 1
      wake()
    }
  }
}
