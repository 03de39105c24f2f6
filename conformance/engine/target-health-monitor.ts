import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../http/exchange.ts'
import { parseJson } from '../http/decode-body.ts'
import { hasBrokenDown, isStaleConnectionError } from '../http/breakdown.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import type { FormFields } from '../requests/api-request.ts'
import type { RequestKind } from '../requests/classify-request.ts'

/** Number of consecutive breakdowns of any operation after which the monitor sends a health request. */
const MAX_BREAKDOWNS_IN_A_ROW = 5
/** Statuses of firewalls that are not in the table of section 7. nginx also uses 444, for a closed connection. */
const BLOCK_STATUSES: readonly number[] = [403, 406, 444]
/**
 * Number of consecutive block statuses after which the monitor sends health requests, if the target also sends these
 * statuses for ordinary errors.
 */
const MAX_BLOCKED_IN_A_ROW = 5
/**
 * Number of blocked health requests in a row that prove a block, by the response before them. A closed connection may
 * also be a flake.
 */
const BLOCK_ROUNDS = { status: 2, closed: 3 } as const
/** Pause before each health request, in milliseconds. The target may take several seconds to restart. */
const HEALTH_PAUSES_MS: readonly number[] = [0, 1000, 2000, 4000]
/** Minimum number of health requests that must break down before the target counts as down. */
const MIN_HEALTH_REQUESTS = 3
/** Maximum time of further health requests, in milliseconds. Health requests that time out take longer. */
const MAX_HEALTH_REQUESTS_MS = 10_000
/** Maximum number of requests that the obstacle lists as possible causes. */
const MAX_NAMED = 12
/** Maximum length of the command that the obstacle contains, in characters. */
const MAX_COMMAND_CHARACTERS = 1000
/**
 * Maximum time between the end of a request and a lost connection at which the request is a suspect, in milliseconds. A
 * service may crash after it has responded, and other responses may arrive between the crash and the first refused
 * connection.
 */
const RECENT_MS = 1000

export interface RequestInFlight {
  /** ID of the check, or name of the step. */
  readonly source: string
  readonly method: string
  readonly path: string
  readonly kind: RequestKind
  /** Whether the request has the funded key. */
  readonly hasFundedKey: boolean
  readonly form?: FormFields | undefined
}

interface RecentRequest {
  readonly request: RequestInFlight
  readonly endedAtMs: number
}

/** A request that may have stopped the target. */
interface Suspect {
  readonly request: RequestInFlight
  /** Whether the request got a response before the target stopped responding. */
  readonly isCompleted: boolean
}

/** Returns a shell command that repeats a request. */
type DescribeCommand = (request: Exchange['request'], form: FormFields | undefined) => string

/** Sends a request to which the target responded before the checks. */
export type HealthRequest = () => Promise<Exchange>

/**
 * Result of the health requests. `back` means that the target refused a connection or failed a health request, but
 * responds again.
 */
export type TargetHealth = 'alive' | 'back' | 'dead'

/**
 * Detects that a target stopped responding during a run. Sends health requests after a refused connection, after a
 * repeat that broke down, or after several consecutive breakdowns. If all health requests break down over a few
 * seconds, the target counts as down.
 *
 * Also detects a firewall that blocks the suite after requests with invalid keys or unusual bodies. A firewall usually
 * sends a status outside the table of section 7, or closes the connection, and may block only one method. If a health
 * request that succeeded before now gets such a response each time, the target counts as blocked.
 */
export class TargetHealthMonitor {
  readonly #signal: AbortSignal
  readonly #endRun: (obstacle: RunObstacle) => void
  readonly #describeCommand: DescribeCommand
  readonly #pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly #nowMs: () => number
  #sendHealth: HealthRequest | undefined
  readonly #inFlight = new Set<RequestInFlight>()
  /** Requests in flight when the target stopped responding, and those that ended shortly before. The latest come first. */
  #suspects: readonly Suspect[] = []
  /** Requests that ended within the last second, and always the last one. */
  #recent: readonly RecentRequest[] = []
  readonly #exchanges = new WeakMap<RequestInFlight, Exchange>()
  #inARow = 0
  /** Whether, since its last response, the target has closed a connection without responding. */
  #hasLostConnection = false
  #answered = 0
  #confirmation: Promise<TargetHealth> | undefined
  #served: readonly HealthRequest[] = []
  #blockedInARow = 0
  /** Whether the target sent a block status although it served the health requests. */
  #usesBlockStatus = false
  #blockConfirmation: Promise<TargetHealth> | undefined

  /**
   * Creates a monitor without starting it.
   * @param endRun called once when the target is down or blocked
   * @param pause waits for a number of milliseconds, or until the run is aborted
   */
  constructor(
    signal: AbortSignal,
    endRun: (obstacle: RunObstacle) => void,
    describeCommand: DescribeCommand,
    { pause = waitMs, nowMs = () => performance.now() } = {},
  ) {
    this.#signal = signal
    this.#endRun = endRun
    this.#describeCommand = describeCommand
    this.#pause = pause
    this.#nowMs = nowMs
  }

  /**
   * Starts to monitor the target.
   * @param sendHealth sends a request that has got a response before
   * @param served send requests that were successful before, for the detection of blocks
   */
  start(sendHealth: HealthRequest, served: readonly HealthRequest[]): void {
    this.#sendHealth = sendHealth
    this.#served = served
  }

  /**
   * Waits until the current health requests end. Otherwise, a rate limit that returns 503 rejects every health request
   * while the suite continues at its rate, so that the target looks down.
   */
  async waitForHealth(): Promise<void> {
    await this.#confirmation
  }

  begin(request: RequestInFlight): void {
    this.#inFlight.add(request)
  }

  /**
   * Records the end of a request.
   * @param isRepeat whether an earlier attempt of the request broke down
   * @returns the target's health, determined by health requests if necessary
   */
  async end(request: RequestInFlight, exchange: Exchange, isRepeat: boolean): Promise<TargetHealth> {
    const isRejected = exchange.error?.kind === 'refused'
    const isBroken = hasBrokenDown(exchange)
    if (isRejected || isBroken) {
      const isLost = exchange.status === 0
      // A request that crashes the service usually does so immediately, so the latest request is the most likely cause.
      // The suspects are replaced at the first lost connection, because an earlier 5xx shows that the service was still
      // running.
      if (this.#inARow === 0 || (isLost && !this.#hasLostConnection)) this.#suspects = this.#findSuspects()
      this.#hasLostConnection ||= isLost
      this.#inARow += 1
    } else if (exchange.status > 0) {
      this.#inARow = 0
      this.#hasLostConnection = false
      this.#answered += 1
    }
    this.#inFlight.delete(request)
    this.#remember(request, exchange)
    if (hasBlockStatus(exchange)) return this.#endBlocked()
    if (exchange.status > 0) this.#blockedInARow = 0
    const isInDoubt = isRejected || (isBroken && (isRepeat || this.#inARow >= MAX_BREAKDOWNS_IN_A_ROW))
    if (!isInDoubt || this.#sendHealth === undefined || this.#signal.aborted) return 'alive'
    const health = await this.#confirm(this.#sendHealth)
    if (health === 'alive' && isClosed(exchange)) return this.#confirmBlock(BLOCK_ROUNDS.closed)
    return isRejected && health === 'alive' ? 'back' : health
  }

  /** Sends health requests after a status that a firewall may have sent. */
  async #endBlocked(): Promise<TargetHealth> {
    this.#blockedInARow += 1
    const isInDoubt = !this.#usesBlockStatus || this.#blockedInARow >= MAX_BLOCKED_IN_A_ROW
    return isInDoubt && !this.#signal.aborted ? this.#confirmBlock(BLOCK_ROUNDS.status) : 'alive'
  }

  async #confirmBlock(rounds: number): Promise<TargetHealth> {
    this.#blockConfirmation ??= this.#findBlock(rounds).finally(() => {
      this.#blockConfirmation = undefined
    })
    return this.#blockConfirmation
  }

  /**
   * Sends each health request up to `rounds` times, until it gets a response that is not a block. If all responses to a
   * health request are blocks, ends the run.
   */
  async #findBlock(rounds: number): Promise<TargetHealth> {
    for (const sendHealth of this.#served) {
      const last = await this.#findBlockedResponse(sendHealth, rounds)
      if (this.#signal.aborted) return 'dead'
      if (last === undefined) continue
      this.#endRun({
        code: 'target-blocked',
        params: { answered: this.#answered, ...(last.status === 403 ? {} : { actualStatus: last.status }) },
      })
      return 'dead'
    }
    this.#usesBlockStatus = true
    this.#blockedInARow = 0
    return 'alive'
  }

  /**
   * Returns the last response to the health request if each response looks like a block. Returns undefined otherwise.
   */
  async #findBlockedResponse(sendHealth: HealthRequest, rounds: number): Promise<Exchange | undefined> {
    let last: Exchange | undefined
    for (const pauseMs of HEALTH_PAUSES_MS.slice(0, rounds)) {
      await this.#pause(pauseMs, this.#signal)
      if (this.#signal.aborted) return undefined
      const health = await sendHealth()
      // A target may close an idle connection at any time, so this is no sign of a block.
      if (isStaleConnectionError(health)) continue
      if (!hasBlockStatus(health) && !isClosed(health)) return undefined
      last = health
    }
    return last
  }

  /** Sends health requests. If several callers need the result at the same time, they share it. */
  async #confirm(sendHealth: () => Promise<Exchange>): Promise<TargetHealth> {
    this.#confirmation ??= this.#findHealth(sendHealth).finally(() => {
      this.#confirmation = undefined
    })
    return this.#confirmation
  }

  async #findHealth(sendHealth: () => Promise<Exchange>): Promise<TargetHealth> {
    let health: Exchange | undefined
    const startedAtMs = this.#nowMs()
    for (const [index, pauseMs] of HEALTH_PAUSES_MS.entries()) {
      const elapsedMs = this.#nowMs() - startedAtMs
      if (index >= MIN_HEALTH_REQUESTS && elapsedMs + pauseMs > MAX_HEALTH_REQUESTS_MS) break
      await this.#pause(pauseMs, this.#signal)
      if (this.#signal.aborted) return 'dead'
      health = await sendHealth()
      if (health.error === undefined && health.status < 500) {
        this.#inARow = 0
        this.#hasLostConnection = false
        return index === 0 ? 'alive' : 'back'
      }
    }
    if (health !== undefined && !this.#signal.aborted) this.#endRun(this.#obstacle(health))
    return 'dead'
  }

  /**
   * Finds the requests that may have stopped the target. A response that was already on its way may arrive after the
   * connection of the request that crashed the service is lost, so requests that ended a moment ago count as well.
   */
  #findSuspects(): readonly Suspect[] {
    this.#forgetEarlier(this.#nowMs())
    const recent = this.#recent.map(({ request }) => {
      const isCompleted = (this.#exchanges.get(request)?.status ?? 0) > 0
      return { request, isCompleted }
    })
    const inFlight = [...this.#inFlight].map((request) => ({ request, isCompleted: false }))
    return [...recent, ...inFlight].toReversed()
  }

  #remember(request: RequestInFlight, exchange: Exchange): void {
    const endedAtMs = this.#nowMs()
    this.#exchanges.set(request, exchange)
    this.#recent = [...this.#recent, { request, endedAtMs }]
    this.#forgetEarlier(endedAtMs)
  }

  #forgetEarlier(nowMs: number): void {
    const last = this.#recent.at(-1)
    this.#recent = this.#recent.filter((one) => one === last || one.endedAtMs >= nowMs - RECENT_MS)
  }

  #rankBody({ request }: Suspect): number {
    return request.form === undefined ? rankBody(this.#exchanges.get(request)?.request.body) : 2
  }

  #obstacle({ status, error }: Exchange): RunObstacle {
    // A request whose connection was refused never reached the service, so it is no suspect.
    const suspects = this.#suspects
      .filter(({ request }) => this.#exchanges.get(request)?.error?.kind !== 'refused')
      .toSorted((a, b) => rankSuspect(a) - rankSuspect(b) || this.#rankBody(a) - this.#rankBody(b))
      .slice(0, MAX_NAMED)
    const first = suspects[0]?.request
    const exchange = first === undefined ? undefined : this.#exchanges.get(first)
    const command = exchange === undefined ? '' : this.#describeCommand(exchange.request, first?.form)
    const isShort = command !== '' && command.length <= MAX_COMMAND_CHARACTERS
    return {
      code: 'target-died',
      params: {
        actualStatus: status,
        ...(error === undefined ? {} : { error: error.kind }),
        answered: this.#answered,
        inFlight: suspects.filter(({ isCompleted }) => !isCompleted).map(nameSuspect),
        completed: suspects.filter(({ isCompleted }) => isCompleted).map(nameSuspect),
        ...(isShort ? { command } : {}),
      },
    }
  }
}

/**
 * Ranks a request body by how likely it is to crash a service; 0 is most likely. Many services read a member of the
 * body without a check that it is an object.
 */
function rankBody(body: Uint8Array | undefined): number {
  const text = Buffer.from(body ?? []).toString('utf8')
  const json = parseJson(text)
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  if (json !== undefined && !isObject) return 0
  return json === undefined && text !== '' ? 1 : 2
}

async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}

function nameSuspect({ request: { source, method, path } }: Suspect) {
  return { check: source, method, path }
}

function hasBlockStatus({ status, error }: Exchange): boolean {
  return error === undefined && BLOCK_STATUSES.includes(status)
}

/** Returns whether the target closed the connection without a response. */
function isClosed({ status, error }: Exchange): boolean {
  return status === 0 && (error?.kind === 'reset' || error?.kind === 'closed-early')
}

/**
 * Ranks a request by how likely it is to have crashed the service; 0 is most likely. Requests in flight come before
 * completed ones. Within both, the order is: an invalid request with a valid key, an unspecified request with a valid
 * key, any other invalid or unspecified request, a valid request.
 */
function rankSuspect({ request: { kind, hasFundedKey }, isCompleted }: Suspect): number {
  const rank = kind === 'valid' ? 3 : !hasFundedKey ? 2 : kind === 'invalid' ? 0 : 1
  return isCompleted ? rank + 4 : rank
}
