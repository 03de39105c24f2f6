/** Maximum delay of a timer in milliseconds, about 25 days. After a longer delay, Node would call back immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Calls back after `ms` milliseconds.
 * @returns a function that cancels the timer
 */
export function startTimer(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(Math.ceil(ms), MAX_TIMER_MS))
  return () => clearTimeout(timer)
}
