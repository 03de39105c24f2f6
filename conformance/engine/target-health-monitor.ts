import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../http/exchange.ts'
import { hasBrokenDown } from '../http/breakdown.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import type { RequestKind } from '../requests/classify-request.ts'

/** Breakdowns in a row, over all operations, after which the target is in doubt. */
const MAX_BREAKDOWNS_IN_A_ROW = 5
/** Pause before each health request, in milliseconds. */
const HEALTH_PAUSES_MS: readonly number[] = [0, 1000, 2000]
/** Maximum number of requests that the obstacle names. */
const MAX_NAMED = 8

/** A request in flight. */
export interface RequestInFlight {
  /** Id of the check, or name of the step. */
  readonly source: string
  readonly method: string
  readonly path: string
  readonly kind: RequestKind
}

/** What health requests found: `back` after at least one without a response. */
export type Health = 'alive' | 'back' | 'dead'

/**
 * Notices that a target stopped responding in the middle of a run. A refused connection, a repeat that breaks down as
 * well, or several breakdowns in a row over all operations cause a health request. If that breaks down too for a few
 * seconds, the target is dead.
 */
export class TargetHealthMonitor {
  readonly #signal: AbortSignal
  readonly #endRun: (obstacle: RunObstacle) => void
  readonly #pausesMs: readonly number[]
  #sendHealth: (() => Promise<Exchange>) | undefined
  readonly #inFlight = new Set<RequestInFlight>()
  #suspects: readonly RequestInFlight[] = []
  #inARow = 0
  #answered = 0
  #confirmation: Promise<Health> | undefined

  /**
   * @param endRun called once, when the target is dead
   * @param pausesMs pause before each health request
   */
  constructor(signal: AbortSignal, endRun: (obstacle: RunObstacle) => void, pausesMs = HEALTH_PAUSES_MS) {
    this.#signal = signal
    this.#endRun = endRun
    this.#pausesMs = pausesMs
  }

  /** Starts to watch. `sendHealth` sends a request that the target has answered before. */
  start(sendHealth: () => Promise<Exchange>): void {
    this.#sendHealth = sendHealth
  }

  /** Records a request that is sent now. */
  begin(request: RequestInFlight): void {
    this.#inFlight.add(request)
  }

  /**
   * Records how a request ended.
   * @param isRepeat true if it had broken down before
   * @returns the target's health, after health requests if in doubt
   */
  async end(request: RequestInFlight, exchange: Exchange, isRepeat: boolean): Promise<Health> {
    const isRefused = exchange.error?.kind === 'refused'
    const isBroken = hasBrokenDown(exchange)
    if (isRefused || isBroken) {
      // A request that ends the service does so at once: the latest is the likeliest.
      if (this.#inARow === 0) this.#suspects = [...this.#inFlight].toReversed()
      this.#inARow += 1
    } else if (exchange.status > 0) {
      this.#inARow = 0
      this.#answered += 1
    }
    this.#inFlight.delete(request)
    const isInDoubt = isRefused || (isBroken && (isRepeat || this.#inARow >= MAX_BREAKDOWNS_IN_A_ROW))
    if (!isInDoubt || this.#sendHealth === undefined || this.#signal.aborted) return 'alive'
    const health = await this.#confirm(this.#sendHealth)
    return isRefused && health === 'alive' ? 'back' : health
  }

  /** Sends health requests, once for all requests that wait for the result. */
  async #confirm(sendHealth: () => Promise<Exchange>): Promise<Health> {
    this.#confirmation ??= this.#findHealth(sendHealth).finally(() => {
      this.#confirmation = undefined
    })
    return this.#confirmation
  }

  async #findHealth(sendHealth: () => Promise<Exchange>): Promise<Health> {
    let health: Exchange | undefined
    for (const [index, pauseMs] of this.#pausesMs.entries()) {
      await sleep(pauseMs, undefined, { signal: this.#signal }).catch(() => undefined)
      if (this.#signal.aborted) return 'dead'
      health = await sendHealth()
      if (health.error === undefined && health.status < 500) {
        this.#inARow = 0
        return index === 0 ? 'alive' : 'back'
      }
    }
    if (health !== undefined && !this.#signal.aborted) this.#endRun(this.#obstacle(health))
    return 'dead'
  }

  #obstacle({ status, error }: Exchange): RunObstacle {
    const requests = this.#suspects.toSorted((a, b) => SUSPICION.indexOf(a.kind) - SUSPICION.indexOf(b.kind))
    return {
      code: 'target-died',
      params: {
        actualStatus: status,
        ...(error === undefined ? {} : { error: error.kind }),
        answered: this.#answered,
        inFlight: requests.slice(0, MAX_NAMED).map(({ source, method, path }) => ({ check: source, method, path })),
      },
    }
  }
}

/** A request that the document does not allow is the first suspect. */
const SUSPICION: readonly RequestKind[] = ['invalid', 'unspecified', 'valid']
