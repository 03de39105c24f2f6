import type { PaceClock } from '../pace.ts'

/** A clock that advances to the next scheduled event instead of waiting. */
export class VirtualClock implements PaceClock {
  #nowMs = 0
  #events: { readonly atMs: number; readonly callback: () => void }[] = []

  nowMs(): number {
    return this.#nowMs
  }

  schedule(ms: number, callback: () => void): () => void {
    const event = { atMs: this.#nowMs + ms, callback }
    this.#events.push(event)
    return () => void (this.#events = this.#events.filter((other) => other !== event))
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(ms, resolve))
  }

  /** Runs scheduled events until the promise settles. */
  async run(work: Promise<unknown>): Promise<void> {
    let isDone = false
    void work.finally(() => (isDone = true))
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      if (isDone) return
      const next = this.#events.toSorted((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined) throw new Error('The promise has not settled, and no event is scheduled.')
      this.#events.splice(this.#events.indexOf(next), 1)
      this.#nowMs = next.atMs
      next.callback()
    }
  }
}
