/** Length of one timer. However long it really took, it counts as this much. */
const STRETCH_MS = 250

/**
 * Calls back after `ms` of waiting. Time in which this process did not run, because the machine slept or was busy, hardly
 * counts: the target may have been stopped with it, and its response has not been read yet.
 * @returns a function that cancels the deadline
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
