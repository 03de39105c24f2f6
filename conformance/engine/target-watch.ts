import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../http/exchange.ts'
import { hasBrokenDown } from '../http/breakdown.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import type { RequestKind } from '../requests/request-kind.ts'

/** Breakdowns in a row, over all operations, after which the target is asked for a sign of life. */
const MAX_BREAKDOWNS_IN_A_ROW = 5
/** Pauses before each health request, in milliseconds. */
const HEALTH_PAUSES_MS = [0, 1000, 2000]
/** Maximum number of requests that the obstacle names. */
const MAX_NAMED = 5

/** A request under way. */
export interface RequestUnderWay {
  /** Id of the check, or name of the step. */
  readonly source: string
  readonly method: string
  readonly path: string
  readonly kind: RequestKind
}

/**
 * Notices that a target stopped responding in the middle of a run. A refused connection, or several breakdowns in a row
 * over all operations, cause a health request; if that breaks down as well for a few seconds, the target is dead.
 */
export class TargetWatch {
  readonly #signal: AbortSignal
  readonly #endRun: (obstacle: RunObstacle) => void
  #sendHealth: (() => Promise<Exchange>) | undefined
  readonly #underWay = new Set<RequestUnderWay>()
  #suspects: readonly RequestUnderWay[] = []
  #inARow = 0
  #answered = 0
  #confirmation: Promise<boolean> | undefined

  /** @param endRun called once, when the target is dead */
  constructor(signal: AbortSignal, endRun: (obstacle: RunObstacle) => void) {
    this.#signal = signal
    this.#endRun = endRun
  }

  /** Starts to watch. `sendHealth` sends a request that the target has answered before. */
  start(sendHealth: () => Promise<Exchange>): void {
    this.#sendHealth = sendHealth
  }

  /** Records a request that is sent now. */
  begin(request: RequestUnderWay): void {
    this.#underWay.add(request)
  }

  /**
   * Records how a request ended.
   * @returns true if the target had stopped responding and is back
   */
  async end(request: RequestUnderWay, exchange: Exchange): Promise<boolean> {
    const isRefused = exchange.error?.kind === 'refused'
    if (isRefused || hasBrokenDown(exchange)) {
      if (this.#inARow === 0) this.#suspects = [...this.#underWay]
      this.#inARow += 1
    } else if (exchange.status > 0) {
      this.#inARow = 0
      this.#answered += 1
    }
    this.#underWay.delete(request)
    const isInDoubt = isRefused || this.#inARow >= MAX_BREAKDOWNS_IN_A_ROW
    return isInDoubt && this.#sendHealth !== undefined && !this.#signal.aborted
      ? this.#confirm(this.#sendHealth)
      : false
  }

  /** Asks for a sign of life, once for all requests that wait for it. */
  async #confirm(sendHealth: () => Promise<Exchange>): Promise<boolean> {
    this.#confirmation ??= this.#isAlive(sendHealth).finally(() => {
      this.#confirmation = undefined
    })
    return this.#confirmation
  }

  async #isAlive(sendHealth: () => Promise<Exchange>): Promise<boolean> {
    let health: Exchange | undefined
    for (const pauseMs of HEALTH_PAUSES_MS) {
      await sleep(pauseMs, undefined, { signal: this.#signal }).catch(() => undefined)
      health = await sendHealth()
      if (health.status > 0 && health.status < 500 && health.error === undefined) {
        this.#inARow = 0
        return true
      }
    }
    if (health !== undefined && !this.#signal.aborted) this.#endRun(this.#obstacle(health))
    return false
  }

  #obstacle({ status, error }: Exchange): RunObstacle {
    const requests = this.#suspects.toSorted((a, b) => SUSPICION.indexOf(a.kind) - SUSPICION.indexOf(b.kind))
    return {
      code: 'target-died',
      params: {
        actualStatus: status,
        ...(error === undefined ? {} : { error: error.kind }),
        answered: this.#answered,
        underWay: requests.slice(0, MAX_NAMED).map(({ source, method, path }) => ({ check: source, method, path })),
      },
    }
  }
}

/** A request that the document does not allow is the first suspect. */
const SUSPICION: readonly RequestKind[] = ['mistake', 'unspecified', 'valid']
