import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a number of milliseconds. Resolves early when the run is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
