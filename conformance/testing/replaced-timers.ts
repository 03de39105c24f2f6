import { setImmediate } from 'node:timers/promises'
import { vi } from 'vitest'

/** Replaces the timers of deadlines, so that a deadline expires only when a test advances them. */
export function replaceTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
}

/** Advances the replaced timers after the client has read what a server in this process has written. */
export async function advanceTimersAfterRead(ms: number): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await setImmediate()
  vi.advanceTimersByTime(ms)
}
