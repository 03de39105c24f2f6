/** Length of one timer in milliseconds. Each timer counts as this much, however late it fires. */
const STRETCH_MS = 250

/**
 * Calls back after `ms` of waiting. Hardly counts time in which this process did not run, because the machine slept or
 * was busy: the target may have stopped with it, and its response has not been read yet.
 * @returns a function that cancels the deadline
 */
export function startDeadline(ms: number, callback: () => void): () => void {
  let leftMs = ms
  let timer: NodeJS.Timeout
  let atEnd: NodeJS.Immediate | undefined
  const wait = (): void => {
    const stretchMs = Math.min(leftMs, STRETCH_MS)
    leftMs -= stretchMs
    // Sockets are read between a timer and the next immediate, so a response that has arrived is processed first.
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

/** The deadlines of one request, in milliseconds. */
export interface RequestDeadlines {
  /** From the start to the last byte. */
  readonly totalMs: number
  /** Without a byte; may change while the request is under way. */
  silenceMs(): number
}

/** A watch over the deadlines of one request. */
export interface DeadlineWatch {
  /** Records that something of the response arrived. */
  heard(): void
  cancel(): void
}

/** Which deadline passed. */
export interface PassedDeadline {
  readonly ms: number
  readonly isSilence: boolean
}

/** Calls back once, when one of the deadlines of a request passes. */
export function watchDeadlines(
  { totalMs, silenceMs }: RequestDeadlines,
  callback: (passed: PassedDeadline) => void,
): DeadlineWatch {
  let silentMs = 0
  let cancelSilence = (): void => undefined
  const watchSilence = (): void => {
    const leftMs = silenceMs() - silentMs
    if (leftMs <= 0) {
      end({ ms: silenceMs(), isSilence: true })
      return
    }
    const stretchMs = Math.min(leftMs, STRETCH_MS)
    cancelSilence = startDeadline(stretchMs, () => {
      silentMs += stretchMs
      watchSilence()
    })
  }
  const cancelTotal = startDeadline(totalMs, () => end({ ms: totalMs, isSilence: false }))
  const cancel = (): void => {
    cancelTotal()
    cancelSilence()
  }
  const end = (passed: PassedDeadline): void => {
    cancel()
    callback(passed)
  }
  watchSilence()
  return { heard: () => void (silentMs = 0), cancel }
}
