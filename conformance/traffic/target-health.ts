import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import type { Exchange } from '../http/exchange.ts'
import { hasBrokenDown, isStaleConnectionError } from '../http/breakdown.ts'
import { parseRetryAfterMs } from '../http/retry-after.ts'
import type { TimedOperation } from '../latency/latency-samples.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import type { FormFields } from '../requests/api-request.ts'
import { CrashSuspects, type RequestInFlight, type Suspect } from './crash-suspects.ts'
import {
  DOUBTS_PER_CONFIRMATION,
  MAX_HEALTH_WAIT_MS,
  MAX_OUTAGE_MS,
  MIN_OUTAGE_ROUNDS,
  OUTAGE_PAUSES_MS,
  REJECTION_PAUSES_MS,
  SECOND_LIMIT_MS,
} from './policy.ts'

/** Statuses of firewalls that are not in the table of section 7. nginx also uses 444, for a closed connection. */
const BLOCK_STATUSES: readonly number[] = [403, 406, 444]
/** Maximum length of the command that the obstacle contains, in characters. */
const MAX_COMMAND_CHARACTERS = 1000

/** Sends a request to which the target has responded. */
export type HealthRequest = () => Promise<Exchange>

/** A request before the checks to which the target responded. */
export interface FirstRequest {
  readonly operation: TimedOperation
  readonly isServed: boolean
  readonly send: HealthRequest
}

/**
 * What the health requests show about a request that broke down. `back` means that no request got a response for a
 * while, and `operation-down` that only those to the operation of the request got none.
 */
export type Health = 'alive' | 'back' | 'operation-down' | 'dead'

/** An outage that is over. */
interface Outage {
  readonly health: 'back' | 'operation-down'
  readonly operation: TimedOperation | undefined
  readonly endMs: number
}

export interface TargetHealthOptions {
  readonly signal: AbortSignal
  /** Called when the target is down, blocks the suite or rejects the key. */
  endRun(obstacle: RunObstacle): void
  /**
   * Called when the target no longer serves an operation, although it responds to others. `response` is the last one to
   * the control request of the operation.
   */
  closeOperation(operation: TimedOperation, response: Exchange): void
  /** Called when an operation is down, with the responses to its control request and to the first repeat of it. */
  recordOutage(attempts: readonly Exchange[]): void
  /** Returns a function that sends the control request of an operation. Returns undefined if there is none. */
  findControl(operation: TimedOperation): HealthRequest | undefined
  /** Returns a shell command that repeats a request. */
  describeCommand(request: Exchange['request'], form: FormFields | undefined): string
  /** Waits for a number of milliseconds, or until the run is aborted. */
  pause(ms: number): Promise<void>
  /** Returns the milliseconds since the start of the run. */
  nowMs(): number
  readonly fundedKey: string
}

/**
 * Finds out whether a request broke down because the target has changed. After a request that broke down twice, sends the
 * control request of its operation. If the target responds to it, the breakdown is a finding about the request. If not, a
 * few rounds of health requests over several seconds show whether the target or the operation is down for good.
 *
 * In the same way, finds out whether the target blocks the suite after requests with invalid keys or unusual bodies, or
 * rejects the funded key, because it expired (401) or its account has no credits left (402).
 *
 * The number of health requests depends only on the responses of the target, unless these responses change during the
 * run.
 */
export class TargetHealth {
  readonly #options: TargetHealthOptions
  readonly #requests: CrashSuspects
  #first: readonly FirstRequest[] = []
  #answered = 0
  /** Whether a request broke down since the last response. */
  #hasBreakdown = false
  /** Whether a request broke down other than by a 503 since the last response. */
  #hasOtherBreakdown = false
  /** Whether the target has closed a connection without responding since its last response. */
  #hasLostConnection = false
  readonly #confirmations = new Map<TimedOperation | undefined, Promise<Health>>()
  readonly #outages: Outage[] = []
  /** Responses of each kind that put the key or the client in doubt: their number, and whether the run ends. */
  readonly #doubts = new Map<string, { count: number; result: Promise<boolean> }>()

  constructor(options: TargetHealthOptions) {
    this.#options = options
    this.#requests = new CrashSuspects(options.nowMs)
  }

  /** Starts to judge breakdowns, with the requests to which the target responded before the checks. */
  start(first: readonly FirstRequest[]): void {
    this.#first = first
  }

  /**
   * Waits until the current rounds of health requests end. Otherwise, a rate limit that returns 503 rejects every health
   * request while the suite continues at its rate, so that the target looks down.
   */
  async waitForHealth(): Promise<void> {
    await Promise.all(this.#confirmations.values())
  }

  begin(request: RequestInFlight): void {
    this.#requests.begin(request)
  }

  /**
   * Records the end of an attempt.
   * @param isRepeat whether an earlier attempt of the request broke down
   */
  async end(request: RequestInFlight, exchange: Exchange, isRepeat: boolean): Promise<Health> {
    const isRefused = exchange.error?.kind === 'refused'
    const isBroken = hasBrokenDown(exchange)
    if (isRefused || isBroken) this.#recordBreakdown(exchange)
    else if (exchange.status > 0) this.#recordResponse()
    this.#requests.end(request, exchange)
    if (this.#first.length === 0 || this.#options.signal.aborted) return 'alive'
    if (await this.#isClientRejected(request, exchange)) return 'dead'
    if (!isRefused && !(isBroken && isRepeat)) return 'alive'
    return this.#judge(request, exchange)
  }

  #recordBreakdown({ status }: Exchange): void {
    const isLost = status === 0
    // The suspects are replaced at the first lost connection, because an earlier 5xx shows that the service was still
    // running.
    if (!this.#hasBreakdown || (isLost && !this.#hasLostConnection)) this.#requests.suspectCurrent()
    this.#hasBreakdown = true
    this.#hasLostConnection ||= isLost
    this.#hasOtherBreakdown ||= status !== 503
  }

  #recordResponse(): void {
    this.#answered += 1
    this.#forgetBreakdowns()
  }

  #forgetBreakdowns(): void {
    this.#hasBreakdown = false
    this.#hasLostConnection = false
    this.#hasOtherBreakdown = false
  }

  /** Returns whether a response means that the target blocks the suite or rejects the funded key from now on. */
  async #isClientRejected({ method, path, kind, hasFundedKey }: RequestInFlight, exchange: Exchange): Promise<boolean> {
    const { status } = exchange
    if (hasBlockStatus(exchange)) return this.#confirm(String(status), () => this.#isBlocked())
    if (!hasFundedKey || !isKeyRejection(exchange)) return false
    return this.#confirm(`${method} ${path} ${kind} ${status}`, () => this.#isKeyRejected(status))
  }

  async #judge({ operation }: RequestInFlight, exchange: Exchange): Promise<Health> {
    const control = operation === undefined ? undefined : this.#options.findControl(operation)
    const own = control ?? this.#first[0]?.send
    const response = await own?.()
    if (own === undefined || response === undefined || isUp(response)) {
      await this.waitForHealth()
      this.#forgetBreakdowns()
      // The target may have recovered since the request broke down.
      const outage = this.#outages.find(
        (one) => exchange.startedAtMs < one.endMs && (one.health === 'back' || one.operation === operation),
      )
      return outage?.health ?? (exchange.error?.kind === 'refused' ? 'back' : 'alive')
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
    let isClosed = isClosedConnection(response)
    for (const [round, usualMs] of OUTAGE_PAUSES_MS.entries()) {
      const pauseMs = round === 0 ? Math.max(usualMs, getRetryAfterMs(response)) : usualMs
      if (round >= MIN_OUTAGE_ROUNDS && this.#options.nowMs() - startedAtMs + pauseMs > MAX_OUTAGE_MS) break
      await this.#options.pause(pauseMs)
      if (this.#options.signal.aborted) return 'dead'
      const [again, areUp] = await Promise.all([own(), areOthersUp()])
      repeat ??= again
      if (isUp(again)) {
        if (isTargetUp) this.#options.recordOutage([response, repeat])
        return this.#endOutage(operation, isTargetUp ? 'operation-down' : 'back')
      }
      last = again
      isClosed &&= isClosedConnection(again)
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
    this.#forgetBreakdowns()
    this.#outages.push({ operation, health, endMs: this.#options.nowMs() })
    return health
  }

  /**
   * Closes an operation if the target rejects its control request with 429, after it rejected another request with 429
   * again and again.
   */
  async judgeLimit({ operation }: RequestInFlight, { headers }: Exchange): Promise<void> {
    const control = operation === undefined ? undefined : this.#options.findControl(operation)
    if (operation === undefined || control === undefined) return
    await this.#options.pause(Math.min(parseRetryAfterMs(headers, Date.now()) ?? SECOND_LIMIT_MS, MAX_HEALTH_WAIT_MS))
    const response = await control()
    if (response.status === 429) this.#options.closeOperation(operation, response)
  }

  /**
   * Counts the responses of a kind, and sends health requests after the first one and every tenth.
   * @returns the result of the last health requests, because a response that arrives meanwhile is in doubt, too
   */
  #confirm(kind: string, sendHealth: () => Promise<boolean>): Promise<boolean> {
    const doubt = this.#doubts.get(kind) ?? { count: 0, result: Promise.resolve(false) }
    this.#doubts.set(kind, doubt)
    if (doubt.count % DOUBTS_PER_CONFIRMATION === 0) doubt.result = sendHealth()
    doubt.count += 1
    return doubt.result
  }

  /** Returns whether a firewall blocks the suite: it rejects a request that was served before. */
  async #isBlocked(): Promise<boolean> {
    const response = await this.#findRejection((one) => hasBlockStatus(one) || isClosedConnection(one))
    if (response === undefined) return this.#options.signal.aborted
    const actual = response.status === 403 ? {} : { actualStatus: response.status }
    this.#options.endRun({ code: 'target-blocked', params: { answered: this.#answered, ...actual } })
    return true
  }

  /**
   * Returns whether the target rejects the funded key. A 401 must be the response to every request that was served
   * before. A 402 may concern only those that cost credits.
   */
  async #isKeyRejected(status: number): Promise<boolean> {
    const since = new Date().toISOString()
    const response = await this.#findRejection((one) => one.status === status, status === 401)
    if (response === undefined) return this.#options.signal.aborted
    const key = fingerprintSecret(this.#options.fundedKey)
    const params = { key, actualStatus: status, answered: this.#answered, since }
    this.#options.endRun({ code: 'funded-key-lost', params })
    return true
  }

  /**
   * Sends the requests that were served before in several rounds. Returns the response to one that is rejected in each
   * round, or undefined if there is none.
   * @param isEvery whether the target must reject all of them
   */
  async #findRejection(isRejected: (response: Exchange) => boolean, isEvery = false): Promise<Exchange | undefined> {
    let left = this.#first.filter(({ isServed }) => isServed)
    let rejection: Exchange | undefined
    for (const pauseMs of REJECTION_PAUSES_MS) {
      await this.#options.pause(pauseMs)
      const sent = await Promise.all(left.map(async (one) => ({ one, response: await one.send() })))
      const rejected = sent.filter(({ response }) => isRejected(response))
      const isOver = rejected.length === 0 || (isEvery && rejected.length < sent.length)
      if (isOver || this.#options.signal.aborted) return undefined
      left = rejected.map(({ one }) => one)
      rejection = rejected[0]?.response
    }
    return rejection
  }

  #describeDeath({ status, error }: Exchange): RunObstacle {
    // A rate limit may also return 503. A request that stops the service would usually get another response.
    const suspects = status === 503 && !this.#hasOtherBreakdown ? [] : this.#requests.list()
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
  const waitMs = status === 503 ? (parseRetryAfterMs(headers, Date.now()) ?? 0) : 0
  return waitMs <= MAX_HEALTH_WAIT_MS ? waitMs : 0
}

/** Returns whether the target responds. It may close an idle connection at any time, so this is no sign of an outage. */
function isUp(response: Exchange): boolean {
  return response.error === undefined ? response.status < 500 : isStaleConnectionError(response)
}

function hasBlockStatus({ status, error }: Exchange): boolean {
  return error === undefined && BLOCK_STATUSES.includes(status)
}

function isKeyRejection({ status, error }: Exchange): boolean {
  return error === undefined && (status === 401 || status === 402)
}

/** Returns whether the target closed the connection without a response. */
function isClosedConnection({ status, error }: Exchange): boolean {
  return status === 0 && (error?.kind === 'reset' || error?.kind === 'closed-early')
}
