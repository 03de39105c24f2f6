import { setImmediate as nextTurn } from 'node:timers/promises'

/** Time source for delays, limits and timestamps. Tests can replace it to control time. */
export interface Clock {
  readonly kind: 'real' | 'frozen' | 'virtual'
  /** Returns a monotonic time in milliseconds. Only differences are meaningful. */
  nowMs(): number
  /**
   * Returns the arrival time of the bytes that the event loop is reading from sockets, on the monotonic clock. It never
   * exceeds `nowMs`, and is the same for all bytes that were available together.
   */
  arrivedMs(): number
  /** Returns the Unix time in whole seconds, for the field `created` (section 2). */
  unixSeconds(): number
  /**
   * Returns the Unix time in milliseconds for the request log. API responses never contain it. It advances even if
   * `unixSeconds` is frozen.
   */
  unixMs(): number
  /** Runs `task` when `nowMs` reaches `dueMs`. Returns a function that cancels the task. */
  at(dueMs: number, task: () => void): () => void
}

/** Maximum delay of a Node timer, nearly 25 days. For longer delays, Node would use 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1

export function createRealClock(): Clock {
  return {
    kind: 'real',
    nowMs: () => performance.now(),
    arrivedMs: createArrivalTimeReader(),
    unixSeconds: () => Math.floor(Date.now() / 1000),
    unixMs: () => Date.now(),
    at: scheduleTimer,
  }
}

function toTimerMs(ms: number): number {
  return Math.min(Math.ceil(ms), MAX_TIMER_MS)
}

/**
 * Runs a task at a time of the monotonic clock, never synchronously. Timers have a resolution of 1 ms and may fire
 * early; the function then sets another timer. A task that is already due runs in the next turn of the event loop,
 * because a timer would take at least 1 ms.
 */
function scheduleTimer(dueMs: number, task: () => void): () => void {
  const waitMs = dueMs - performance.now()
  if (waitMs <= 0) {
    const turn = setImmediate(task)
    return () => clearImmediate(turn)
  }
  const wake = () => {
    const leftMs = dueMs - performance.now()
    if (leftMs > 0) timer = setTimeout(wake, toTimerMs(leftMs))
    else task()
  }
  let timer = setTimeout(wake, toTimerMs(waitMs))
  return () => clearTimeout(timer)
}

/**
 * Creates a function that returns the same time throughout a turn of the event loop. All bytes that a turn reads from
 * sockets were available when the turn began. The current time would be incorrect: the last of a thousand requests
 * would appear to arrive only after the emulator had handled the first 999.
 */
function createArrivalTimeReader(): () => number {
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

/**
 * Creates a clock that follows the system clock, except that `unixSeconds` is constant. Identical requests then get
 * byte-identical responses.
 */
export function createFrozenClock(unixSeconds: number): Clock {
  return { ...createRealClock(), kind: 'frozen', unixSeconds: () => unixSeconds }
}

/** A clock that a program controls. It moves when the program advances or starts it. */
export interface VirtualClock extends Clock {
  /**
   * Advances the clock by `ms` and runs all tasks that become due, in order of their due times.
   * @throws RangeError if `ms` is negative or not a number, or if the clock would pass the last time of a `Date`
   * @throws Error if the clock does not move, because tasks add tasks for the same time again and again
   */
  advance(ms: number): void
  /**
   * Advances the clock like `advance`, but lets the event loop handle sockets and signals in between. Concurrent advances
   * add up.
   */
  advanceInTurns(ms: number): Promise<void>
  /** Starts the clock, which then runs at the speed of the system clock. */
  run(): void
  /** Stops the clock. Afterwards, only `advance` moves it. */
  freeze(): void
  isRunning(): boolean
}

/**
 * Maximum number of times that a virtual clock wakes up at one time. The scheduler runs up to 64 tasks each time, so
 * six million responses can be due together.
 */
const MAX_WAKE_UPS_AT_ONE_TIME = 100_000

/** Maximum time for which an advance in turns blocks the event loop, in milliseconds. */
const MAX_TURN_MS = 10

/** Last time of a `Date`, in Unix milliseconds. */
const MAX_UNIX_MS = 8.64e15

export function isVirtualClock(clock: Clock): clock is VirtualClock {
  return 'advance' in clock
}

/**
 * Creates a function that counts how often a clock wakes up at one time.
 * @returns a function that throws an error after MAX_WAKE_UPS_AT_ONE_TIME calls with the same time
 */
function createWakeUpCounter(): (dueMs: number) => void {
  let lastDueMs = -Infinity
  let wakeUps = 0
  return (dueMs) => {
    wakeUps = dueMs > lastDueMs ? 1 : wakeUps + 1
    lastDueMs = Math.max(lastDueMs, dueMs)
    if (wakeUps <= MAX_WAKE_UPS_AT_ONE_TIME) return
    throw new Error(
      `The virtual clock has stopped at ${lastDueMs} ms, because more than ${MAX_WAKE_UPS_AT_ONE_TIME} tasks ran at that time. This is a defect of the emulator.`,
    )
  }
}

interface WaitingTask {
  readonly dueMs: number
  readonly task: () => void
}

/** Finds the task that is due first, if it is due by `untilMs`. */
function findNext(waiting: Iterable<WaitingTask>, untilMs: number): WaitingTask | undefined {
  let next: WaitingTask | undefined
  for (const entry of waiting) {
    if (entry.dueMs <= untilMs && (next === undefined || entry.dueMs < next.dueMs)) next = entry
  }
  return next
}

/**
 * Creates a stopped virtual clock.
 * @param unixSeconds initial Unix time
 */
export function createVirtualClock(unixSeconds = 1_750_000_000): VirtualClock {
  let stoppedAtMs = 0
  /** Value of `performance.now()` at the start of the clock, or undefined while the clock is stopped. */
  let runningSinceMs: number | undefined
  let timer: NodeJS.Timeout | undefined
  /** Time at which the last advance ends. */
  let targetMs = 0
  const countWakeUp = createWakeUpCounter()
  const waiting = new Set<WaitingTask>()

  const nowMs = () => stoppedAtMs + (runningSinceMs === undefined ? 0 : performance.now() - runningSinceMs)
  const setTo = (ms: number) => {
    stoppedAtMs = ms
    if (runningSinceMs !== undefined) runningSinceMs = performance.now()
  }
  const runUntil = (untilMs: number, maxRealMs = Infinity): boolean => {
    const startMs = performance.now()
    for (let due = findNext(waiting, untilMs); due !== undefined; due = findNext(waiting, untilMs)) {
      countWakeUp(due.dueMs)
      waiting.delete(due)
      setTo(Math.max(nowMs(), due.dueMs))
      due.task()
      if (performance.now() - startMs > maxRealMs) return false
    }
    setTo(Math.max(nowMs(), untilMs))
    return true
  }
  const getTargetMs = (ms: number) => {
    const isValid = ms >= 0 && unixSeconds * 1000 + nowMs() + ms <= MAX_UNIX_MS
    if (!isValid) throw new RangeError(`The virtual clock cannot advance by ${ms} ms.`)
    targetMs = Math.max(targetMs, nowMs()) + ms
    return targetMs
  }
  const wakeAtNext = () => {
    clearTimeout(timer)
    const next = runningSinceMs === undefined ? undefined : findNext(waiting, Infinity)
    if (next === undefined) return
    const wake = () => {
      runUntil(nowMs())
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
      runUntil(getTargetMs(ms))
      wakeAtNext()
    },
    async advanceInTurns(ms) {
      const untilMs = getTargetMs(ms)
      while (!runUntil(untilMs, MAX_TURN_MS)) await nextTurn()
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

/** Rounds a duration in milliseconds to whole microseconds, the resolution of durations in documents. */
export function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
