/**
 * Calls back after `ms` milliseconds.
 * @returns a function that cancels the timer
 */
export function startTimer(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.ceil(ms))
  return () => clearTimeout(timer)
}
