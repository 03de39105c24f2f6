import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../http/exchange.ts'
import { hasBrokenDown, isStaleConnectionError } from '../http/breakdown.ts'
import { parseRetryAfterMs } from '../http/retry-after.ts'
import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import type { FormFields } from '../requests/api-request.ts'
import { KeyRejectionMonitor } from './key-rejection-monitor.ts'
import { CrashSuspects, type RequestInFlight, type Suspect } from './crash-suspects.ts'

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
/**
 * Pause before each health request, in milliseconds. The target may take several seconds to restart, and a rate limit
 * that returns 503 may allow requests again after ten seconds.
 */
const HEALTH_PAUSES_MS: readonly number[] = [0, 1000, 2000, 4000, 4000]
/** Minimum number of health requests that must break down before the target counts as down. */
const MIN_HEALTH_REQUESTS = 3
/** Maximum time of further health requests, in milliseconds. Health requests that time out take longer. */
const MAX_HEALTH_REQUESTS_MS = 12_000
/** Maximum Retry-After of a 503 for which the monitor waits before the second health request, in milliseconds. */
const MAX_RETRY_AFTER_MS = 60_000
/** Maximum length of the command that the obstacle contains, in characters. */
const MAX_COMMAND_CHARACTERS = 1000
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
 *
 * The run also ends if the target starts to reject the funded key, see `KeyRejectionMonitor`.
 */
export class TargetHealthMonitor {
  readonly #signal: AbortSignal
  readonly #endRun: (obstacle: RunObstacle) => void
  readonly #describeCommand: DescribeCommand
  readonly #pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly #nowMs: () => number
  #sendHealth: HealthRequest | undefined
  readonly #requests: CrashSuspects
  #inARow = 0
  /** Whether a request broke down other than by a 503 since the last response. */
  #hasOtherBreakdown = false
  /** Whether, since its last response, the target has closed a connection without responding. */
  #hasLostConnection = false
  #answered = 0
  #confirmation: Promise<TargetHealth> | undefined
  #served: readonly HealthRequest[] = []
  #blockedInARow = 0
  /** Whether the target sent a block status although it served the health requests. */
  #usesBlockStatus = false
  #blockConfirmation: Promise<TargetHealth> | undefined
  readonly #keyRejections: KeyRejectionMonitor

  /**
   * Creates a monitor without starting it.
   * @param endRun called once when the target is down or blocked
   * @param pause waits for a number of milliseconds, or until the run is aborted
   * @param key fingerprint of the funded key, as reports show it
   */
  constructor(
    signal: AbortSignal,
    endRun: (obstacle: RunObstacle) => void,
    describeCommand: DescribeCommand,
    { pause = waitMs, nowMs = () => performance.now(), key = '' } = {},
  ) {
    this.#signal = signal
    this.#endRun = endRun
    this.#describeCommand = describeCommand
    this.#pause = pause
    this.#nowMs = nowMs
    this.#requests = new CrashSuspects(nowMs)
    this.#keyRejections = new KeyRejectionMonitor(signal, endRun, { key, pause })
  }

  /**
   * Starts to monitor the target.
   * @param sendHealth sends a request that has got a response before
   * @param served send requests that were successful before, for the detection of blocks
   */
  start(sendHealth: HealthRequest, served: readonly HealthRequest[]): void {
    this.#sendHealth = sendHealth
    this.#served = served
    this.#keyRejections.start(served)
  }

  /**
   * Waits until the current health requests end. Otherwise, a rate limit that returns 503 rejects every health request
   * while the suite continues at its rate, so that the target looks down.
   */
  async waitForHealth(): Promise<void> {
    await this.#confirmation
  }

  begin(request: RequestInFlight): void {
    this.#requests.begin(request)
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
      if (this.#inARow === 0 || (isLost && !this.#hasLostConnection)) this.#requests.suspectCurrent()
      this.#hasLostConnection ||= isLost
      this.#hasOtherBreakdown ||= exchange.status !== 503
      this.#inARow += 1
    } else if (exchange.status > 0) {
      this.#inARow = 0
      this.#hasLostConnection = false
      this.#hasOtherBreakdown = false
      this.#answered += 1
    }
    this.#requests.end(request, exchange)
    if (hasBlockStatus(exchange)) return this.#endBlocked()
    if (exchange.status > 0) this.#blockedInARow = 0
    const keyRejection = this.#keyRejections.end(request, exchange, this.#answered)
    if (keyRejection !== undefined && (await keyRejection)) return 'dead'
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
    for (const [index, usualMs] of HEALTH_PAUSES_MS.entries()) {
      const pauseMs = index === 1 ? Math.max(usualMs, getRetryAfterMs(health)) : usualMs
      const elapsedMs = this.#nowMs() - startedAtMs
      if (index >= MIN_HEALTH_REQUESTS && elapsedMs + pauseMs > MAX_HEALTH_REQUESTS_MS) break
      await this.#pause(pauseMs, this.#signal)
      if (this.#signal.aborted) return 'dead'
      health = await sendHealth()
      if (health.error === undefined && health.status < 500) {
        this.#inARow = 0
        this.#hasLostConnection = false
        this.#hasOtherBreakdown = false
        return index === 0 ? 'alive' : 'back'
      }
    }
    if (health !== undefined && !this.#signal.aborted) this.#endRun(this.#obstacle(health))
    return 'dead'
  }

  #obstacle({ status, error }: Exchange): RunObstacle {
    // A rate limit may also return 503. A request that stops the service would usually get another response.
    const suspects = status === 503 && !this.#hasOtherBreakdown ? [] : this.#requests.list()
    const [first] = suspects
    const command =
      first?.exchange === undefined ? '' : this.#describeCommand(first.exchange.request, first.request.form)
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

async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}

function nameSuspect({ request: { source, method, path } }: Suspect) {
  return { check: source, method, path }
}

/** Returns the Retry-After of a 503 in milliseconds, or 0 if there is none or the wait would be too long. */
function getRetryAfterMs(health: Exchange | undefined): number {
  if (health?.status !== 503) return 0
  const waitMs = parseRetryAfterMs(health.headers, Date.now()) ?? 0
  return waitMs <= MAX_RETRY_AFTER_MS ? waitMs : 0
}

function hasBlockStatus({ status, error }: Exchange): boolean {
  return error === undefined && BLOCK_STATUSES.includes(status)
}

/** Returns whether the target closed the connection without a response. */
function isClosed({ status, error }: Exchange): boolean {
  return status === 0 && (error?.kind === 'reset' || error?.kind === 'closed-early')
}
