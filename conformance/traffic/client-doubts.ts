import type { TimedOperation } from '../latency/latency-samples.ts'
import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import type { Exchange } from '../http/exchange.ts'
import type { RequestInFlight } from './crash-suspects.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import type { FormFields } from '../requests/api-request.ts'
import { DOUBTS_PER_CONFIRMATION, REJECTION_PAUSES_MS } from './policy.ts'

/** Statuses of firewalls that are not in the table of section 7. nginx also uses 444, for a closed connection. */
const BLOCK_STATUSES: readonly number[] = [403, 406, 444]

/** Sends a request to which the target has responded. */
export type HealthRequest = () => Promise<Exchange>

/** A request before the checks to which the target responded. */
export interface FirstRequest {
  readonly operation: TimedOperation
  readonly isServed: boolean
  readonly send: HealthRequest
}

export interface TargetHealthOptions {
  readonly signal: AbortSignal
  /** Called when the target is down, blocks the suite or rejects the key. */
  endRun(obstacle: RunObstacle): void
  /** Called when the target no longer serves an operation. `response` is that to its control request. */
  closeOperation(operation: TimedOperation, response: Exchange): void
  /** Called when an operation is down, with the responses to its control request and to the first repeat of it. */
  recordOutage(attempts: readonly Exchange[]): void
  /** Returns a function that sends the control request of an operation. Returns undefined if there is none. */
  findControl(operation: TimedOperation): HealthRequest | undefined
  /** Returns a shell command that repeats a request. */
  describeCommand(request: Exchange['request'], form: FormFields | undefined): string
  /** Waits for a number of milliseconds, or until the run is aborted. */
  pause(ms: number): Promise<void>
  /** Calls `work` while no request of a check is in flight. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
  /** Returns the milliseconds since the start of the run. */
  nowMs(): number
  readonly fundedKey: string
}

interface ClientDoubtsOptions extends Pick<TargetHealthOptions, 'signal' | 'endRun' | 'pause' | 'alone' | 'fundedKey'> {
  /** Returns the requests to which the target responded before the checks. */
  first(): readonly FirstRequest[]
  /** Returns the number of responses so far. */
  answered(): number
}

/**
 * Finds out whether the target blocks the suite after requests with invalid keys or unusual bodies, or rejects the funded
 * key, because it expired (401) or its account has no credits left (402). After such a response, repeats requests that
 * were served before.
 */
export class ClientDoubts {
  readonly #options: ClientDoubtsOptions
  /** Responses of each kind that put the key or the client in doubt: their number, and whether the run ends. */
  readonly #kinds = new Map<string, { count: number; result: Promise<boolean> }>()

  constructor(options: ClientDoubtsOptions) {
    this.#options = options
  }

  /** Returns whether a response means that the target blocks the suite or rejects the funded key from now on. */
  async endsRun({ method, path, kind, hasFundedKey }: RequestInFlight, exchange: Exchange): Promise<boolean> {
    const { status } = exchange
    if (hasBlockStatus(exchange)) return this.#confirm(String(status), () => this.#isBlocked())
    if (!hasFundedKey || !isKeyRejection(exchange)) return false
    return this.#confirm(`${method} ${path} ${kind} ${status}`, () => this.#isKeyRejected(status))
  }

  /** Sends health requests after the first response of a kind and every tenth. Returns the result of the last ones. */
  #confirm(kind: string, sendHealth: () => Promise<boolean>): Promise<boolean> {
    const doubt = this.#kinds.get(kind) ?? { count: 0, result: Promise.resolve(false) }
    this.#kinds.set(kind, doubt)
    if (doubt.count % DOUBTS_PER_CONFIRMATION === 0) doubt.result = this.#options.alone(sendHealth)
    doubt.count += 1
    return doubt.result
  }

  /** Returns whether a firewall blocks the suite: it rejects a request that was served before. */
  async #isBlocked(): Promise<boolean> {
    const response = await this.#findRejection((one) => hasBlockStatus(one) || hasClosedConnection(one))
    if (response === undefined) return this.#options.signal.aborted
    const actual = response.status === 403 ? {} : { actualStatus: response.status }
    this.#options.endRun({ code: 'target-blocked', params: { answered: this.#options.answered(), ...actual } })
    return true
  }

  /** Returns whether the target rejects the funded key. A 402 may concern only requests that cost credits. */
  async #isKeyRejected(status: number): Promise<boolean> {
    const since = new Date().toISOString()
    const response = await this.#findRejection((one) => one.status === status, status === 401)
    if (response === undefined) return this.#options.signal.aborted
    const key = fingerprintSecret(this.#options.fundedKey)
    const params = { key, actualStatus: status, answered: this.#options.answered(), since }
    this.#options.endRun({ code: 'funded-key-lost', params })
    return true
  }

  /** Returns the response to a served request that is rejected in each round. `isEvery`: all must be rejected. */
  async #findRejection(isRejected: (response: Exchange) => boolean, isEvery = false): Promise<Exchange | undefined> {
    let left = this.#options.first().filter(({ isServed }) => isServed)
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
}

/** Returns whether the target closed the connection without a response. */
export function hasClosedConnection({ status, error }: Exchange): boolean {
  return status === 0 && (error?.kind === 'reset' || error?.kind === 'closed-early')
}

function hasBlockStatus({ status, error }: Exchange): boolean {
  return error === undefined && BLOCK_STATUSES.includes(status)
}

function isKeyRejection({ status, error }: Exchange): boolean {
  return error === undefined && (status === 401 || status === 402)
}
