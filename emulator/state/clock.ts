/**
 * Time as the emulator sees it. Everything that waits, expires or stamps takes one of these, so that a rate window of a
 * minute is tested in milliseconds.
 */
export interface Clock {
  /** Milliseconds on a monotonic scale; only differences mean something. */
  nowMs(): number
  /** Unix time in whole seconds, for `created` (section 2). */
  unixSeconds(): number
  /** Unix time in milliseconds, for the journal; never part of an answer, and goes on where `unixSeconds` is frozen. */
  unixMs(): number
  /** Runs `task` at `dueMs` on the scale of `nowMs`. Returns a function that cancels it. */
  at(dueMs: number, task: () => void): () => void
}

/** The machine's own clocks. */
export function realClock(): Clock {
  return {
    nowMs: () => performance.now(),
    unixSeconds: () => Math.floor(Date.now() / 1000),
    unixMs: () => Date.now(),
    at(dueMs, task) {
      // Timers drop fractions: rounded up, so that the task does not run a millisecond too early and wait again.
      const timer = setTimeout(task, Math.max(0, Math.ceil(dueMs - performance.now())))
      return () => clearTimeout(timer)
    },
  }
}

/** Real pace, but `created` stands still at `unixSeconds`: answers are then identical to the byte. */
export function frozenClock(unixSeconds: number): Clock {
  return { ...realClock(), unixSeconds: () => unixSeconds }
}

/** A clock that moves only when told. */
export interface VirtualClock extends Clock {
  /** Moves on by `ms`, running what falls due in order of its time. */
  advance(ms: number): void
}

/** A clock at `unixSeconds` that stands until `advance` is called. */
export function virtualClock(unixSeconds = 1_750_000_000): VirtualClock {
  let nowMs = 0
  const waiting = new Set<{ dueMs: number; task: () => void }>()
  return {
    nowMs: () => nowMs,
    unixSeconds: () => unixSeconds + Math.floor(nowMs / 1000),
    unixMs: () => unixSeconds * 1000 + nowMs,
    at(dueMs, task) {
      const entry = { dueMs, task }
      waiting.add(entry)
      // What is due already need not wait for the clock to be moved.
      if (dueMs <= nowMs) queueMicrotask(() => waiting.delete(entry) && task())
      return () => waiting.delete(entry)
    },
    advance(ms) {
      const untilMs = nowMs + ms
      for (;;) {
        const due = [...waiting].filter((entry) => entry.dueMs <= untilMs).toSorted((a, b) => a.dueMs - b.dueMs)[0]
        if (due === undefined) break
        waiting.delete(due)
        nowMs = Math.max(nowMs, due.dueMs)
        due.task()
      }
      nowMs = untilMs
    },
  }
}
