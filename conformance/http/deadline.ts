/** A stretch of waiting, in milliseconds: however long it really took, it counts as this much. */
const STRETCH_MS = 250

/**
 * Calls back after so many milliseconds of waiting. A time in which this process had no turn, since the machine slept, was
 * halted or was busy, hardly counts: the target may have been halted with it, and what it sent has not been read yet.
 * @returns ends the waiting
 */
export function startDeadline(ms: number, callback: () => void): () => void {
  let leftMs = ms
  let timer: NodeJS.Timeout
  const wait = (): void => {
    const stretchMs = Math.min(leftMs, STRETCH_MS)
    leftMs -= stretchMs
    // Sockets are read between a timer and the next immediate: what has arrived by then is not missing.
    timer = setTimeout(() => (leftMs > 0 ? wait() : setImmediate(callback)), stretchMs)
  }
  wait()
  return () => clearTimeout(timer)
}
