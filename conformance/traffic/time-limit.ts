import type { RunObstacle } from '../findings/run-obstacle.ts'
import { MAX_TIMER_MS } from './pause.ts'
import { TIME_LIMIT_MARGIN_MS, TIME_LIMIT_MS } from './policy.ts'

/** Aborts a run at its time limit. The default limit allows for the rate limit of the key. */
export class TimeLimit {
  readonly #aborted = new AbortController()
  readonly #isFixed: boolean
  readonly #startMs = performance.now()
  #limitMs: number
  #timer: NodeJS.Timeout

  /** Starts the timer of the limit that the tester sets, or of the usual one. */
  constructor(maxSeconds: number | undefined) {
    this.#isFixed = maxSeconds !== undefined
    this.#limitMs = maxSeconds === undefined ? TIME_LIMIT_MS : maxSeconds * 1000
    this.#timer = this.#start()
  }

  get signal(): AbortSignal {
    return this.#aborted.signal
  }

  /** Extends the default limit so that the remaining duration fits. Has no effect if the tester has set a limit. */
  follow(remainingMs: number): void {
    const limitMs = performance.now() - this.#startMs + remainingMs + TIME_LIMIT_MARGIN_MS
    if (this.#isFixed || limitMs <= this.#limitMs) return
    this.#limitMs = limitMs
    clearTimeout(this.#timer)
    this.#timer = this.#start()
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #start(): NodeJS.Timeout {
    const leftMs = Math.min(this.#startMs + this.#limitMs - performance.now(), MAX_TIMER_MS)
    return setTimeout(() => {
      this.#aborted.abort(new DOMException('The time limit of the run is reached.', 'TimeoutError'))
    }, leftMs).unref()
  }
}

/** The reason with which the engine aborts a run. */
export class RunEndedError extends Error {
  readonly obstacle: RunObstacle

  constructor(obstacle: RunObstacle) {
    super(`The run ended: ${obstacle.code}.`)
    this.obstacle = obstacle
  }
}

/** Returns why a run was aborted: because of the target, at the time limit, or by a person. */
export function getAbortReason({ reason }: AbortSignal): RunObstacle {
  if (reason instanceof RunEndedError) return reason.obstacle
  const isTimeLimit = reason instanceof DOMException && reason.name === 'TimeoutError'
  return { code: isTimeLimit ? 'time-limit-reached' : 'run-interrupted', params: {} }
}
