import type { Exchange } from '../http/exchange.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import type { RequestInFlight } from './crash-suspects.ts'

/**
 * Pauses before the rounds of requests that confirm a rejection, in milliseconds. There are several rounds, because one
 * of several replicas may not know the key, and parallel requests may hold credits for a moment.
 */
const PAUSES_MS: readonly number[] = [0, 500, 1000, 2000, 2000]

/**
 * Number of consecutive rejections that are confirmed again, if the target served the key after an earlier rejection of
 * the same group.
 */
const MAX_REJECTIONS_IN_A_ROW = 5

export interface KeyRejectionOptions {
  /** Fingerprint of the funded key, as reports show it. */
  readonly key: string
  pause(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * Detects that the target rejects the funded key in the middle of a run, because the key expired (401) or its account
 * has no credits left (402). Repeats the requests that the target served before the checks. If the target rejects them
 * each time, ends the run.
 */
export class KeyRejectionMonitor {
  readonly #signal: AbortSignal
  readonly #endRun: (obstacle: RunObstacle) => void
  readonly #options: KeyRejectionOptions
  #served: readonly (() => Promise<Exchange>)[] = []
  #inARow = 0
  #firstRejectedAt = 0
  /** Groups of requests whose rejection does not concern the key. */
  readonly #ordinary = new Set<string>()
  #confirmation: Promise<boolean> | undefined

  constructor(signal: AbortSignal, endRun: (obstacle: RunObstacle) => void, options: KeyRejectionOptions) {
    this.#signal = signal
    this.#endRun = endRun
    this.#options = options
  }

  /** @param served send requests that were successful before the checks */
  start(served: readonly (() => Promise<Exchange>)[]): void {
    this.#served = served
  }

  /**
   * Records the end of a request.
   * @param answered number of responses until now
   * @returns undefined if the request does not put the key in doubt. Otherwise, resolves after the confirmation to
   *   whether the run ended
   */
  end(request: RequestInFlight, exchange: Exchange, answered: number): Promise<boolean> | undefined {
    const { status } = exchange
    if (!request.hasFundedKey) return undefined
    if (!isKeyRejection(exchange)) {
      if (status >= 200 && status < 300) this.#inARow = 0
      return undefined
    }
    if (this.#inARow === 0) this.#firstRejectedAt = Date.now()
    this.#inARow += 1
    const group = `${request.method} ${request.path} ${request.kind} ${status}`
    const isOrdinary = this.#ordinary.has(group) && this.#inARow < MAX_REJECTIONS_IN_A_ROW
    return isOrdinary || this.#served.length === 0 ? undefined : this.#confirm(status, answered, group)
  }

  /** Confirms a rejection. If several requests need the result at the same time, they share it. */
  async #confirm(status: number, answered: number, group: string): Promise<boolean> {
    this.#confirmation ??= this.#isRejected(status).finally(() => {
      this.#confirmation = undefined
    })
    const isRejected = await this.#confirmation
    if (this.#signal.aborted) return true
    if (isRejected) {
      const since = new Date(this.#firstRejectedAt).toISOString()
      const params = { key: this.#options.key, actualStatus: status, answered, since }
      this.#endRun({ code: 'funded-key-lost', params })
      return true
    }
    this.#inARow = 0
    this.#ordinary.add(group)
    return false
  }

  /**
   * Returns whether the target rejects the key in each round. A 401 must be the response to every request. A 402 may
   * concern only those that cost credits.
   */
  async #isRejected(status: number): Promise<boolean> {
    let rejected = [...this.#served]
    for (const pauseMs of PAUSES_MS) {
      await this.#options.pause(pauseMs, this.#signal)
      if (this.#signal.aborted) return false
      const responses = await Promise.all(rejected.map(async (send) => ({ send, response: await send() })))
      rejected = responses.flatMap(({ send, response }) => (response.status === status ? [send] : []))
      if (rejected.length === 0 || (status === 401 && rejected.length < responses.length)) return false
    }
    return true
  }
}

function isKeyRejection({ status, error }: Exchange): boolean {
  return error === undefined && (status === 401 || status === 402)
}
