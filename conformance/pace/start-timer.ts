/** Calls back after `ms`. @returns a function that cancels it */
export function startTimer(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.ceil(ms))
  return () => clearTimeout(timer)
}
