import { parseRetryAfterMs } from '../http/retry-after.ts'

/** Minimum pause before a repeat, and the pause if the response has no Retry-After, in milliseconds. */
const PAUSE_MS = 1000
/** Maximum pause before a repeat, in milliseconds. A longer Retry-After is shortened to it. */
const MAX_PAUSE_MS = 10_000
/**
 * Number of consecutive requests that must break down twice each before the engine repeats requests of their group
 * without a pause.
 */
const MAX_FAILED_PAUSES = 3

/** Determines the pause before the repeat of a request that broke down, and sends repeats one at a time. */
export class BreakdownRepeats {
  readonly #consecutiveFailures = new Map<string, number>()
  #last: Promise<unknown> = Promise.resolve()

  /**
   * Returns the pause before a repeat, in milliseconds. Returns 0 if requests of the group always break down, because a
   * pause would only delay the run.
   * @param group for example the operation and the kind of request
   */
  pauseMs(group: string, headers: Readonly<Record<string, string>>, nowMs: number): number {
    if (this.alwaysBreaksDown(group)) return 0
    return Math.min(Math.max(parseRetryAfterMs(headers, nowMs) ?? PAUSE_MS, PAUSE_MS), MAX_PAUSE_MS)
  }

  /** Returns whether the last few requests of the group all broke down twice. */
  alwaysBreaksDown(group: string): boolean {
    return (this.#consecutiveFailures.get(group) ?? 0) >= MAX_FAILED_PAUSES
  }

  /** Records whether the final attempt of a request broke down. */
  record(group: string, hasBrokenDown: boolean): void {
    this.#consecutiveFailures.set(group, hasBrokenDown ? (this.#consecutiveFailures.get(group) ?? 0) + 1 : 0)
  }

  /**
   * Calls `work` when no other repeat is in flight. Otherwise, a request that crashes the service could also fail
   * another repeat.
   */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}
