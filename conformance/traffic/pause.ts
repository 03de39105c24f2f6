import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a number of milliseconds. Resolves early when the run is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}

/** Maximum delay of a timer in milliseconds, about 25 days. After a longer delay, Node would call back immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** Calls back after `ms` milliseconds. Returns a function that cancels the timer. */
export function startTimer(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, Math.min(Math.ceil(ms), MAX_TIMER_MS))
  return () => clearTimeout(timer)
}
