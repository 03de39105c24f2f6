import { parseRetryAfterMs } from '../http/retry-after.ts'

/** Pause before a request is repeated, if the response has no Retry-After. */
const PAUSE_MS = 1000
/** Upper bound of the pause that Retry-After determines. */
const MAX_PAUSE_MS = 10_000
/** Number of consecutive requests of a group that broke down twice, after which repeats follow without a pause. */
const MAX_USELESS_PAUSES = 3

/** Decides when requests that broke down are repeated: after a pause, one at a time. */
export class BreakdownRepeats {
  readonly #inVain = new Map<string, number>()
  #last: Promise<unknown> = Promise.resolve()

  /**
   * Returns the pause before a repeat, in milliseconds. If requests of the group always break down, a pause would only
   * delay the run.
   * @param group e.g. the operation and the kind of request
   */
  pauseMs(group: string, headers: Readonly<Record<string, string>>, nowMs: number): number {
    if (this.alwaysBreaksDown(group)) return 0
    return Math.min(Math.max(parseRetryAfterMs(headers, nowMs) ?? PAUSE_MS, PAUSE_MS), MAX_PAUSE_MS)
  }

  /** Returns whether the latest requests of the group broke down twice. */
  alwaysBreaksDown(group: string): boolean {
    return (this.#inVain.get(group) ?? 0) >= MAX_USELESS_PAUSES
  }

  /** Records the final result of a request of the group. */
  record(group: string, hasBrokenDown: boolean): void {
    this.#inVain.set(group, hasBrokenDown ? (this.#inVain.get(group) ?? 0) + 1 : 0)
  }

  /**
   * Calls `work` while no other repeat is in flight, so that a request that crashes the service does not affect other
   * repeats.
   */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}
