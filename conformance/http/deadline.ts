/** Maximum time to establish a TCP and TLS connection, in milliseconds. It is sufficient for any distance on Earth. */
export const CONNECT_TIMEOUT_MS = 4000

/** Maximum duration of each timer of a deadline. If a timer fires late, only this duration counts. */
const TIMER_MS = 250

/** Calls back after `ms` milliseconds in which this process was running. Returns a function that cancels this. */
export function startDeadline(ms: number, callback: () => void): () => void {
  let leftMs = ms
  let timer: NodeJS.Timeout
  let atEnd: NodeJS.Immediate | undefined
  const wait = (): void => {
    const stretchMs = Math.min(leftMs, TIMER_MS)
    leftMs -= stretchMs
    // Node reads sockets between a timer and the next immediate, so that a response that has arrived counts.
    timer = setTimeout(() => {
      if (leftMs > 0) wait()
      else atEnd = setImmediate(callback)
    }, stretchMs)
  }
  wait()
  return () => {
    clearTimeout(timer)
    clearImmediate(atEnd)
  }
}

export interface RequestDeadlines {
  /** Maximum time from the start of the request to the last byte. */
  readonly totalMs: number
  /** Returns the maximum time without a received byte. It can change while the request is in progress. */
  idleMs(): number
}

export interface DeadlineWatch {
  /** Restarts the idle deadline. Called when bytes arrive. */
  recordActivity(): void
  cancel(): void
  /** Starts both deadlines again, for example after a wait of the suite itself. */
  restart(): void
}

/** A deadline that expired, in milliseconds. `isIdle` is true for the idle deadline. */
export interface ExpiredDeadline {
  readonly ms: number
  readonly isIdle: boolean
}

/** Calls `callback` once, when the first of a request's deadlines expires. */
export function watchDeadlines(
  { totalMs, idleMs }: RequestDeadlines,
  callback: (passed: ExpiredDeadline) => void,
): DeadlineWatch {
  let silentMs = 0
  let cancelSilence = (): void => undefined
  const watchSilence = (): void => {
    const leftMs = idleMs() - silentMs
    if (leftMs <= 0) {
      end({ ms: idleMs(), isIdle: true })
      return
    }
    const stretchMs = Math.min(leftMs, TIMER_MS)
    cancelSilence = startDeadline(stretchMs, () => {
      silentMs += stretchMs
      watchSilence()
    })
  }
  let cancelTotal = (): void => undefined
  const cancel = (): void => {
    cancelTotal()
    cancelSilence()
  }
  const end = (passed: ExpiredDeadline): void => {
    cancel()
    callback(passed)
  }
  const restart = (): void => {
    cancel()
    silentMs = 0
    cancelTotal = startDeadline(totalMs, () => end({ ms: totalMs, isIdle: false }))
    watchSilence()
  }
  restart()
  return { recordActivity: () => void (silentMs = 0), cancel, restart }
}
