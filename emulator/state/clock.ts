/** Source of time for everything that waits, expires or has a timestamp, so that a test can advance it. */
export interface Clock {
  readonly kind: 'real' | 'frozen' | 'virtual'
  /** Time in milliseconds on a monotonic scale; only differences have a meaning. */
  nowMs(): number
  /**
   * Arrival time of the bytes that are being read from sockets: at most `nowMs`, and the same for all bytes that were
   * available together.
   */
  arrivedMs(): number
  /** Unix time in whole seconds, for `created` (section 2). */
  unixSeconds(): number
  /**
   * Unix time in milliseconds, for the request log. Never part of a response; it advances even if `unixSeconds` is
   * frozen.
   */
  unixMs(): number
  /** Runs `task` at `dueMs` on the scale of `nowMs`. Returns a function that cancels it. */
  at(dueMs: number, task: () => void): () => void
}

/** Maximum delay of a Node timer in milliseconds, nearly 25 days. Longer delays would be treated as 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Creates a clock that follows the system. */
export function createRealClock(): Clock {
  return {
    kind: 'real',
    nowMs: () => performance.now(),
    arrivedMs: createArrivalStamp(),
    unixSeconds: () => Math.floor(Date.now() / 1000),
    unixMs: () => Date.now(),
    at: scheduleTimer,
  }
}

/**
 * Runs a task at a time. Timers have a resolution of 1 ms and may fire early, in which case this waits again. A task
 * that is already due runs in the next turn of the event loop, because a timer would take 1 ms.
 */
function scheduleTimer(dueMs: number, task: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    const waitMs = dueMs - performance.now()
    if (waitMs > 0) timer = setTimeout(wait, Math.min(Math.ceil(waitMs), MAX_TIMER_MS))
    else task()
  }
  if (dueMs > performance.now()) {
    wait()
    return () => clearTimeout(timer)
  }
  const turn = setImmediate(task)
  return () => clearImmediate(turn)
}

/**
 * Creates a timestamp that is shared within a turn of the event loop. Everything that a turn reads from sockets was
 * available when it began: the last of a thousand requests must not count as arriving after the first 999 were
 * processed.
 */
function createArrivalStamp(): () => number {
  let stampMs: number | undefined
  return () => {
    if (stampMs === undefined) {
      stampMs = performance.now()
      setImmediate(() => {
        stampMs = undefined
      })
    }
    return stampMs
  }
}

/** Creates a clock that follows the system, but with a fixed `created`, so that responses are byte-identical. */
export function createFrozenClock(unixSeconds: number): Clock {
  return { ...createRealClock(), kind: 'frozen', unixSeconds: () => unixSeconds }
}

/** A clock that is moved by commands. */
export interface VirtualClock extends Clock {
  /** Advances by `ms`, running the tasks that become due in the order of their times. */
  advance(ms: number): void
  /** Starts to advance with the system clock. */
  run(): void
  /** Stops the clock; from now on, only `advance` moves it. */
  freeze(): void
  isRunning(): boolean
}

/** Returns true for a virtual clock. */
export function isVirtual(clock: Clock): clock is VirtualClock {
  return 'advance' in clock
}

/** Creates a clock that starts at `unixSeconds` and does not move until it is advanced or started. */
export function createVirtualClock(unixSeconds = 1_750_000_000): VirtualClock {
  let stoppedAtMs = 0
  /** System time at which the clock was started; undefined while it is stopped. */
  let runningSinceMs: number | undefined
  let timer: NodeJS.Timeout | undefined
  const waiting = new Set<{ dueMs: number; task: () => void }>()

  const nowMs = () => stoppedAtMs + (runningSinceMs === undefined ? 0 : performance.now() - runningSinceMs)
  const setTo = (ms: number) => {
    stoppedAtMs = ms
    if (runningSinceMs !== undefined) runningSinceMs = performance.now()
  }
  const nextUntil = (untilMs: number) => {
    let next: { dueMs: number; task: () => void } | undefined
    for (const entry of waiting) {
      if (entry.dueMs <= untilMs && (next === undefined || entry.dueMs < next.dueMs)) next = entry
    }
    return next
  }
  const advance = (ms: number) => {
    const untilMs = nowMs() + ms
    for (let due = nextUntil(untilMs); due !== undefined; due = nextUntil(untilMs)) {
      waiting.delete(due)
      setTo(Math.max(nowMs(), due.dueMs))
      due.task()
    }
    setTo(Math.max(nowMs(), untilMs))
  }
  const wakeAtNext = () => {
    clearTimeout(timer)
    const next = runningSinceMs === undefined ? undefined : nextUntil(Infinity)
    if (next === undefined) return
    const wake = () => {
      advance(0)
      wakeAtNext()
    }
    timer = setTimeout(wake, Math.min(Math.max(0, Math.ceil(next.dueMs - nowMs())), MAX_TIMER_MS))
  }

  return {
    kind: 'virtual',
    nowMs,
    arrivedMs: nowMs,
    unixSeconds: () => unixSeconds + Math.floor(nowMs() / 1000),
    unixMs: () => unixSeconds * 1000 + nowMs(),
    at(dueMs, task) {
      const entry = { dueMs, task }
      waiting.add(entry)
      wakeAtNext()
      return () => waiting.delete(entry)
    },
    advance(ms) {
      advance(ms)
      wakeAtNext()
    },
    run() {
      runningSinceMs ??= performance.now()
      wakeAtNext()
    },
    freeze() {
      stoppedAtMs = nowMs()
      runningSinceMs = undefined
      clearTimeout(timer)
    },
    isRunning: () => runningSinceMs !== undefined,
  }
}
