/** Duration of one timer, in milliseconds. A timer counts as this duration even if it fires late. */
const TIMER_MS = 250

/**
 * Calls back after `ms` milliseconds in which this process was running. Time in which the machine was suspended or busy
 * hardly counts: the target may have been suspended too, and its response has not been read yet.
 * @returns a function that cancels the deadline
 */
export function startDeadline(ms: number, callback: () => void): () => void {
  let leftMs = ms
  let timer: NodeJS.Timeout
  let atEnd: NodeJS.Immediate | undefined
  const wait = (): void => {
    const stretchMs = Math.min(leftMs, TIMER_MS)
    leftMs -= stretchMs
    // Node reads sockets between a timer and the next immediate, so a response that has already arrived is processed
    // first.
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

/** Deadlines of a request, in milliseconds. */
export interface RequestDeadlines {
  /** Time from the start of the request to the last byte. */
  readonly totalMs: number
  /** Time without a received byte. The value can change while the request is in progress. */
  idleMs(): number
}

/** Timers for the deadlines of one request. */
export interface DeadlineWatch {
  /** Restarts the idle deadline because bytes of the response arrived. */
  recordActivity(): void
  cancel(): void
}

/** The deadline that expired, in milliseconds. `isIdle` is true for the idle deadline. */
export interface ExpiredDeadline {
  readonly ms: number
  readonly isIdle: boolean
}

/** Calls back once, when the first deadline of a request expires. */
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
  const cancelTotal = startDeadline(totalMs, () => end({ ms: totalMs, isIdle: false }))
  const cancel = (): void => {
    cancelTotal()
    cancelSilence()
  }
  const end = (passed: ExpiredDeadline): void => {
    cancel()
    callback(passed)
  }
  watchSilence()
  return { recordActivity: () => void (silentMs = 0), cancel }
}
