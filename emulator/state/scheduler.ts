import type { Clock } from './clock.ts'

/** Tasks that are run before the event loop goes on, to read its sockets: a thousand at once would keep it for 10 ms. */
const MAX_TASKS_PER_TURN = 64

/** Turns of the event loop after which what can wait is done all the same. */
const MAX_OVERDUE_TURNS = 100

const NOTHING = () => undefined

interface Entry {
  readonly dueMs: number
  task: () => void
}

/**
 * Runs tasks at absolute times of one clock. All streams share one timer: a thousand streams cost one wake-up per moment at
 * which something is due, and a late wake-up delays no later one.
 */
export class Scheduler {
  readonly #clock: Clock
  /** A binary heap: each entry is due no later than its children at 2i + 1 and 2i + 2. */
  readonly #heap: Entry[] = []
  #wakesAtMs = Infinity
  #cancelWakeUp: () => void = NOTHING
  /** What can wait until nothing is late. */
  readonly #deferred: (() => void)[] = []
  #overdueTurns = 0
  #cancelDeferredTurn: () => void = NOTHING

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Runs `task` once at `dueMs` on the clock's monotonic scale, or as soon as may be after it. Never at once.
   * @returns a function that calls it off, and lets go of all that it would have needed
   */
  at(dueMs: number, task: () => void): () => void {
    const entry: Entry = { dueMs, task }
    this.#push(entry)
    this.#wakeAtNext()
    return () => {
      entry.task = NOTHING // its place in the heap stays until it is due: to look for it would cost more
    }
  }

  /**
   * Runs `task` when nothing is late: at once, mostly. A thousand streams that end together would otherwise wait for each
   * other's bookkeeping. It must not throw.
   */
  defer(task: () => void): void {
    if (this.#deferred.length === 0) {
      if (!this.#isOverdue()) {
        task()
        return
      }
      this.#overdueTurns = 0
      this.#cancelDeferredTurn = this.#scheduleDeferredTurn()
    }
    this.#deferred.push(task)
  }

  /** Runs what waits for that now: whoever asks what happened is told all of it. */
  flushDeferred(): void {
    this.#cancelDeferredTurn()
    for (const task of this.#deferred.splice(0)) task()
  }

  /** Forgets all tasks, so that none of them keeps the process up. */
  stop(): void {
    this.#heap.length = 0
    this.#cancelWakeUp()
    this.#wakesAtMs = Infinity
  }

  #scheduleDeferredTurn(): () => void {
    const turn = setImmediate(this.#runDeferred)
    return () => clearImmediate(turn)
  }

  readonly #runDeferred = () => {
    this.#overdueTurns = this.#isOverdue() ? this.#overdueTurns + 1 : 0
    if (this.#overdueTurns === 0 || this.#overdueTurns > MAX_OVERDUE_TURNS) {
      for (const task of this.#deferred.splice(0, MAX_TASKS_PER_TURN)) task()
    }
    if (this.#deferred.length > 0) this.#cancelDeferredTurn = this.#scheduleDeferredTurn()
  }

  #isOverdue(): boolean {
    const next = this.#heap[0]
    return next !== undefined && next.dueMs <= this.#clock.nowMs()
  }

  #wakeAtNext(): void {
    const next = this.#heap[0]
    if (next === undefined || next.dueMs >= this.#wakesAtMs) return
    this.#cancelWakeUp()
    this.#wakesAtMs = next.dueMs
    this.#cancelWakeUp = this.#clock.at(next.dueMs, () => this.#runDue())
  }

  #runDue(): void {
    this.#wakesAtMs = Infinity
    const nowMs = this.#clock.nowMs()
    for (let run = 0; run < MAX_TASKS_PER_TURN; run += 1) {
      const next = this.#heap[0]
      if (next === undefined || next.dueMs > nowMs) break
      this.#pop()
      next.task()
    }
    this.#wakeAtNext()
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let index = heap.length
    heap.push(entry)
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = heap[parentIndex]
      if (parent === undefined || parent.dueMs <= entry.dueMs) break
      heap[index] = parent
      index = parentIndex
    }
    heap[index] = entry
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let index = 0
    for (;;) {
      const left = 2 * index + 1
      const child = (heap[left + 1]?.dueMs ?? Infinity) < (heap[left]?.dueMs ?? Infinity) ? left + 1 : left
      const entry = heap[child]
      if (entry === undefined || entry.dueMs >= last.dueMs) break
      heap[index] = entry
      index = child
    }
    heap[index] = last
  }
}
