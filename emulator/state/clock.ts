/**
 * Time as the emulator sees it. Everything that waits, expires or stamps takes one of these, so that a rate window of a
 * minute is tested in milliseconds.
 */
export interface Clock {
  readonly kind: 'real' | 'frozen' | 'virtual'
  /** Milliseconds on a monotonic scale; only differences mean something. */
  nowMs(): number
  /** When what is being read from sockets just now came in: not after `nowMs`, and alike for all that was there together. */
  arrivedMs(): number
  /** Unix time in whole seconds, for `created` (section 2). */
  unixSeconds(): number
  /** Unix time in milliseconds, for the journal; never part of an answer, and goes on where `unixSeconds` is frozen. */
  unixMs(): number
  /** Runs `task` at `dueMs` on the scale of `nowMs`. Returns a function that cancels it. */
  at(dueMs: number, task: () => void): () => void
}

/** The longest that a timer of Node can wait, nearly 25 days; told to wait longer, it waits a millisecond. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The machine's own clocks. */
export function realClock(): Clock {
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
 * Timers know whole milliseconds only and may run a little early: then this waits again. What is due already does not wait for
 * a timer, which would take a millisecond, but for the event loop's next turn.
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
 * One stamp for each turn of the event loop in which it is asked for. Whatever a turn reads from sockets was there when it
 * began: the last of a thousand requests is not to count as having come when its 999 predecessors were seen to.
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

/** Real pace, but `created` stands still at `unixSeconds`: answers are then identical to the byte. */
export function frozenClock(unixSeconds: number): Clock {
  return { ...realClock(), kind: 'frozen', unixSeconds: () => unixSeconds }
}

/** A clock that can be told what to do. */
export interface VirtualClock extends Clock {
  /** Moves on by `ms`, running what falls due in order of its time. */
  advance(ms: number): void
  /** Lets it go on at the pace of the real one. */
  run(): void
  /** Makes it stand still again. */
  freeze(): void
  isRunning(): boolean
}

/** Tells a virtual clock from others. */
export function isVirtual(clock: Clock): clock is VirtualClock {
  return 'advance' in clock
}

/** A clock that begins at `unixSeconds`, and stands until it is advanced or told to run. */
export function virtualClock(unixSeconds = 1_750_000_000): VirtualClock {
  let stoodAtMs = 0
  /** Where the real clock was when this one was told to run; undefined while it stands. */
  let runningSinceMs: number | undefined
  let timer: NodeJS.Timeout | undefined
  const waiting = new Set<{ dueMs: number; task: () => void }>()

  const nowMs = () => stoodAtMs + (runningSinceMs === undefined ? 0 : performance.now() - runningSinceMs)
  const setTo = (ms: number) => {
    stoodAtMs = ms
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
      stoodAtMs = nowMs()
      runningSinceMs = undefined
      clearTimeout(timer)
    },
    isRunning: () => runningSinceMs !== undefined,
  }
}
