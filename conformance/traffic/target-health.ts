import type { Exchange } from '../http/exchange.ts'
import { hasBrokenDown, isStaleConnectionError } from '../http/breakdown.ts'
import { parseRetryAfterMs } from '../http/retry-after.ts'
import type { TimedOperation } from '../latency/latency-samples.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import {
  ClientDoubts,
  type FirstRequest,
  hasClosedConnection,
  type HealthRequest,
  type TargetHealthOptions,
} from './client-doubts.ts'
import { CrashSuspects, type RequestInFlight, type Suspect } from './crash-suspects.ts'
import { MAX_HEALTH_WAIT_MS, MAX_OUTAGE_MS, MIN_OUTAGE_ROUNDS, OUTAGE_PAUSES_MS, SECOND_LIMIT_MS } from './policy.ts'

/** Maximum length of the command that the obstacle contains, in characters. */
const MAX_COMMAND_CHARACTERS = 1000

/** What health requests show. `back`: no request got a response for a while. `operation-down`: of one operation. */
export type Health = 'alive' | 'back' | 'operation-down' | 'dead'

interface Outage {
  readonly health: 'back' | 'operation-down'
  readonly operation: TimedOperation | undefined
  readonly endMs: number
}

/**
 * Finds out whether a request broke down because the target has changed. After a request that broke down twice, sends the
 * control request of its operation. If the target responds to it, the breakdown is a finding about the request. If not, a
 * few rounds of health requests over several seconds show whether the target or the operation is down for good.
 *
 * `ClientDoubts` finds out in the same way whether the target rejects the suite or its key.
 *
 * The number of health requests depends only on the responses of the target, unless these responses change during the
 * run.
 */
export class TargetHealth {
  readonly #options: TargetHealthOptions
  readonly #requests: CrashSuspects
  #first: readonly FirstRequest[] = []
  #answered = 0
  /** Statuses of the requests that broke down since the last response. 0 stands for a lost connection. */
  #breakdowns: number[] = []
  readonly #confirmations = new Map<TimedOperation | undefined, Promise<Health>>()
  readonly #outages: Outage[] = []
  readonly #doubts: ClientDoubts

  constructor(options: TargetHealthOptions) {
    this.#options = options
    this.#requests = new CrashSuspects(options.nowMs)
    this.#doubts = new ClientDoubts({ ...options, first: () => this.#first, answered: () => this.#answered })
  }

  /** Starts to judge breakdowns, with the requests to which the target responded before the checks. */
  start(first: readonly FirstRequest[]): void {
    this.#first = first
  }

  /** Waits for the current health requests, which a rate limit would reject while the suite sends others. */
  async waitForHealth(): Promise<void> {
    await Promise.all(this.#confirmations.values())
  }

  begin(request: RequestInFlight): void {
    this.#requests.begin(request)
  }

  /** Records the end of an attempt. `isRepeat`: an earlier attempt of the request broke down. */
  async end(request: RequestInFlight, exchange: Exchange, isRepeat: boolean): Promise<Health> {
    const isRefused = exchange.error?.kind === 'refused'
    const isBroken = hasBrokenDown(exchange)
    if (isRefused || isBroken) this.#recordBreakdown(exchange)
    else if (exchange.status > 0) this.#recordResponse()
    this.#requests.end(request, exchange)
    if (this.#first.length === 0 || this.#options.signal.aborted) return 'alive'
    if (await this.#doubts.endsRun(request, exchange)) return 'dead'
    if (!isRefused && !(isBroken && isRepeat)) return 'alive'
    return this.#judge(request, exchange)
  }

  #recordBreakdown({ status }: Exchange): void {
    // An earlier 5xx shows that the service was still running, so the first lost connection replaces its suspects.
    const isFirst = this.#breakdowns.length === 0 || (status === 0 && !this.#breakdowns.includes(0))
    if (isFirst) this.#requests.suspectCurrent()
    this.#breakdowns.push(status)
  }

  #recordResponse(): void {
    this.#answered += 1
    this.#breakdowns = []
  }

  async #judge({ operation }: RequestInFlight, exchange: Exchange): Promise<Health> {
    const control = operation === undefined ? undefined : this.#options.findControl(operation)
    const own = control ?? this.#first[0]?.send
    let response = await own?.()
    const wasBroken = response !== undefined && !isUp(response)
    const wasSlow = response?.error?.kind === 'timeout'
    // A busy target may serve only one request at a time. One that runs alone shows whether it serves it.
    if (own !== undefined && wasBroken) response = await this.#options.alone(own)
    if (own === undefined || response === undefined || isUp(response)) {
      await this.waitForHealth()
      this.#breakdowns = []
      // The target may have recovered since the request broke down.
      const outage = this.#outages.find(
        (one) => exchange.startedAtMs < one.endMs && (one.health === 'back' || one.operation === operation),
      )
      return outage?.health ?? (exchange.error?.kind === 'refused' || (wasBroken && !wasSlow) ? 'back' : 'alive')
    }
    const others = this.#first.filter((one) => one.operation !== operation && one.send !== own)
    const confirmation = this.#confirmations.get(operation) ?? this.#confirmOutage(operation, { own, response, others })
    this.#confirmations.set(operation, confirmation)
    return confirmation.finally(() => this.#confirmations.delete(operation))
  }

  async #confirmOutage(
    operation: TimedOperation | undefined,
    { own, response, others }: { own: HealthRequest; response: Exchange; others: readonly FirstRequest[] },
  ): Promise<Health> {
    const startedAtMs = this.#options.nowMs()
    const areOthersUp = async (): Promise<boolean> => (await Promise.all(others.map(({ send }) => send()))).some(isUp)
    let isTargetUp = await areOthersUp()
    let last = response
    let repeat: Exchange | undefined
    let isClosed = hasClosedConnection(response)
    for (const [round, usualMs] of OUTAGE_PAUSES_MS.entries()) {
      const pauseMs = round === 0 ? Math.max(usualMs, getRetryAfterMs(response)) : usualMs
      if (round >= MIN_OUTAGE_ROUNDS && this.#options.nowMs() - startedAtMs + pauseMs > MAX_OUTAGE_MS) break
      await this.#options.pause(pauseMs)
      if (this.#options.signal.aborted) return 'dead'
      // One after another, because a target may fail only parallel requests, unless it hangs, which would take long.
      const hangs = last.error?.kind === 'timeout' ? areOthersUp() : undefined
      const again = await own()
      const areUp = isTargetUp || isUp(again) || (await (hangs ?? areOthersUp()))
      repeat ??= again
      if (isUp(again)) {
        if (isTargetUp) this.#options.recordOutage([response, repeat])
        return this.#endOutage(operation, isTargetUp ? 'operation-down' : 'back')
      }
      last = again
      isClosed &&= hasClosedConnection(again)
      isTargetUp ||= areUp
    }
    if (this.#options.signal.aborted) return 'dead'
    if (isTargetUp && !isClosed && operation !== undefined) {
      this.#options.recordOutage([response, repeat ?? last])
      this.#options.closeOperation(operation, last)
      return 'operation-down'
    }
    const params = { answered: this.#answered, actualStatus: 0 }
    this.#options.endRun(isTargetUp ? { code: 'target-blocked', params } : this.#describeDeath(last))
    return 'dead'
  }

  #endOutage(operation: TimedOperation | undefined, health: Outage['health']): Health {
    this.#breakdowns = []
    this.#outages.push({ operation, health, endMs: this.#options.nowMs() })
    return health
  }

  /** Closes an operation if the target rejects even its control request with 429. */
  async judgeLimit({ operation }: RequestInFlight, { headers }: Exchange): Promise<void> {
    const control = operation === undefined ? undefined : this.#options.findControl(operation)
    if (operation === undefined || control === undefined) return
    await this.#options.pause(Math.min(parseRetryAfterMs(headers) ?? SECOND_LIMIT_MS, MAX_HEALTH_WAIT_MS))
    const response = await control()
    if (response.status === 429) this.#options.closeOperation(operation, response)
  }

  #describeDeath({ status, error }: Exchange): RunObstacle {
    // A rate limit may also return 503. A request that stops the service would usually get another response.
    const suspects = status === 503 && this.#breakdowns.every((one) => one === 503) ? [] : this.#requests.list()
    const named = (state: Suspect['state']) => suspects.filter((one) => one.state === state).map(nameSuspect)
    const [first, second] = suspects
    const isOnlyOne = first?.state === 'in-flight' && second?.state !== 'in-flight'
    const sent = isOnlyOne ? first.ended?.exchange.request : undefined
    const command = sent === undefined ? '' : this.#options.describeCommand(sent, first?.request.form)
    const isShort = command !== '' && command.length <= MAX_COMMAND_CHARACTERS
    return {
      code: 'target-died',
      params: {
        actualStatus: status,
        ...(error === undefined ? {} : { error: error.kind }),
        answered: this.#answered,
        aborted: named('aborted'),
        inFlight: named('in-flight'),
        completed: named('completed'),
        ...(isShort ? { command } : {}),
      },
    }
  }
}

function nameSuspect({ request: { source, method, path } }: Suspect) {
  return { check: source, method, path }
}

/** Returns the Retry-After of a 503 in milliseconds, or 0 if there is none or the wait would be too long. */
function getRetryAfterMs({ status, headers }: Exchange): number {
  const waitMs = status === 503 ? (parseRetryAfterMs(headers) ?? 0) : 0
  return waitMs <= MAX_HEALTH_WAIT_MS ? waitMs : 0
}

/** Returns whether the target responds. It may close an idle connection at any time, so this is no sign of an outage. */
function isUp(response: Exchange): boolean {
  return response.error === undefined ? response.status < 500 : isStaleConnectionError(response)
}
