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
  const wait = (): void => {
    const stretchMs = Math.min(leftMs, STRETCH_MS)
    leftMs -= stretchMs
    // Sockets are read between a timer and the next immediate, so a response that has arrived is processed first.
    timer = setTimeout(() => (leftMs > 0 ? wait() : setImmediate(callback)), stretchMs)
  }
  wait()
  return () => clearTimeout(timer)
}
