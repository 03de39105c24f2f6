import type { Clock } from './clock.ts'

/** Maximum number of tasks that run before the event loop reads sockets again. A thousand tasks would take 10 ms. */
const MAX_TASKS_PER_TURN = 64

/** Maximum number of turns of the event loop for which overdue tasks can delay deferred tasks. */
const MAX_OVERDUE_TURNS = 100

const NO_OPERATION = () => undefined

interface Entry {
  readonly dueMs: number
  task: () => void
}

/**
 * Runs tasks at absolute times of a clock. All streams share one timer, so a thousand streams need one wake-up per due
 * time. A late wake-up does not delay later ones.
 */
export class Scheduler {
  readonly #clock: Clock
  /** Binary heap. The due time of an entry is not later than those of its children at 2i + 1 and 2i + 2. */
  readonly #heap: Entry[] = []
  #wakesAtMs = Infinity
  #cancelWakeUp: () => void = NO_OPERATION
  /** Tasks that run when no other task is overdue. */
  readonly #deferred: (() => void)[] = []
  #overdueTurns = 0
  #cancelDeferredTurn: () => void = NO_OPERATION

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Runs `task` once, at `dueMs` on the monotonic clock or shortly after, never synchronously.
   * @returns a function that cancels the task and releases its references
   */
  at(dueMs: number, task: () => void): () => void {
    const entry: Entry = { dueMs, task }
    this.#push(entry)
    this.#wakeAtNext()
    return () => {
      // The entry stays in the heap until it is due, because searching the heap would take longer.
      entry.task = NO_OPERATION
    }
  }

  /**
   * Runs `task` when no other task is overdue, usually immediately. Without the deferral, recording the first of a
   * thousand streams that end together would delay the other streams. `task` must not throw.
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

  /** Runs all deferred tasks immediately, so that reports include every finished request. */
  flushDeferred(): void {
    this.#cancelDeferredTurn()
    for (const task of this.#deferred.splice(0)) task()
  }

  /** Removes all scheduled tasks, so that the process can exit. Keeps deferred tasks. */
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
