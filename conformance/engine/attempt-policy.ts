import type { RunObstacle } from '../outcomes/run-obstacle.ts'
import { hasBrokenDown } from '../http/breakdown.ts'
import type { Exchange } from '../http/exchange.ts'
import { hasServerError } from '../http/stream-error.ts'
import { parseRetryAfterMs } from '../http/retry-after.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import { findOperationByPath, type RequestKind } from '../requests/classify-request.ts'
import { BreakdownRepeats } from './breakdown-repeats.ts'
import { RateLimitRetries } from './request-limits.ts'
import type { RequestScope } from './request-scope.ts'
import type { TargetHealth } from './target-health-monitor.ts'

/** State of one request over all attempts to send it. */
export interface AttemptCounts {
  readonly number: number
  readonly kind: RequestKind
  /** Time of the first attempt, in milliseconds since the start of the run. Undefined before it. */
  sentAtMs?: number
  /** Number of attempts that got a 429. */
  limited: number
  hasBrokenDown: boolean
  /** Whether the engine repeated the request after an outage of the target. */
  wasOut: boolean
}

/** Returns the state of a request before its first attempt. */
export function startAttempts(number: number, kind: RequestKind): AttemptCounts {
  return { number, kind, limited: 0, hasBrokenDown: false, wasOut: false }
}

export interface EndedAttempt {
  readonly request: ApiRequest
  readonly exchange: Exchange
  readonly health: TargetHealth
  readonly retryRateLimited: boolean
  readonly repeatStreamErrors: boolean
  /** Whether earlier requests like this one broke down in the same way so often that a repeat is useless. */
  readonly isRepeatUseless: boolean
  /**
   * Returns why the rate limit of the key prevents another attempt. Returns undefined if another attempt is possible.
   */
  obstacle(): RunObstacle | undefined
}

/**
 * Keys whose rate limit or balance a check tests. A 429 for such a key is a result, so the engine does not retry it.
 */
const KEYS_UNDER_TEST: readonly ApiRequest['key'][] = ['no-credits', 'limited']

/** Decides whether the engine sends a request again after a breakdown, an outage of the target or a 429. */
export class AttemptPolicy {
  readonly #repeats = new BreakdownRepeats()
  readonly #retries = new RateLimitRetries()
  #rateLimited = 0

  /** Number of 429 responses to requests with a key whose limit no check tests. */
  get rateLimited(): number {
    return this.#rateLimited
  }

  /** Returns the delay of the next attempt in milliseconds, or undefined if the exchange is final. */
  delayMs(scope: RequestScope, ended: EndedAttempt, attempts: AttemptCounts): number | undefined {
    return (
      this.#delayAfterOutage(ended, attempts) ??
      this.#delayAfterBreakdown(ended, attempts) ??
      this.#delayAfterRateLimit(scope, ended, attempts)
    )
  }

  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#repeats.inTurn(work)
  }

  /** Returns whether the last few requests of the same operation and kind all broke down twice. */
  alwaysBreaksDown(attempts: AttemptCounts, request: ApiRequest): boolean {
    return this.#repeats.alwaysBreaksDown(groupOf(attempts, request))
  }

  /** Returns the delay of a repeat if the request failed during an outage that is now over. */
  #delayAfterOutage({ exchange, health }: EndedAttempt, attempts: AttemptCounts): number | undefined {
    const isOut = exchange.error?.kind === 'refused' || (attempts.hasBrokenDown && hasBrokenDown(exchange))
    if (!isOut || health !== 'back' || attempts.wasOut) return undefined
    attempts.wasOut = true
    return 0
  }

  /**
   * Returns the delay of the only repeat in milliseconds, if the request broke down, or if it is valid and its stream
   * reports an error.
   */
  #delayAfterBreakdown(
    { request, exchange, repeatStreamErrors, isRepeatUseless }: EndedAttempt,
    attempts: AttemptCounts,
  ): number | undefined {
    const group = groupOf(attempts, request)
    const isRepeated =
      hasBrokenDown(exchange) || (repeatStreamErrors && attempts.kind === 'valid' && hasServerError(exchange))
    if (isRepeated && !attempts.hasBrokenDown && !isRepeatUseless) {
      attempts.hasBrokenDown = true
      return this.#repeats.pauseMs(group, exchange.headers, Date.now())
    }
    this.#repeats.record(group, isRepeated)
    return undefined
  }

  /**
   * Returns the delay of a repeat after a 429, which depends on the tester's key and is no finding about the target.
   * Stops the check if the engine does not retry the request.
   * @returns undefined if the exchange is final
   */
  #delayAfterRateLimit(scope: RequestScope, ended: EndedAttempt, attempts: AttemptCounts): number | undefined {
    const { status, headers } = ended.exchange
    const { key } = ended.request
    if (KEYS_UNDER_TEST.includes(key)) return undefined
    const isInvalidKey = key === 'none' || key === 'invalid'
    // A target may limit invalid keys more strictly than the valid key.
    const group = `${scope.operation} ${isInvalidKey}`
    if (status !== 429) {
      if (isInvalidKey ? status !== 0 : status >= 200 && status < 300) this.#retries.reset(group)
      return undefined
    }
    this.#rateLimited += 1
    if (!ended.retryRateLimited) return undefined
    attempts.limited += 1
    const obstacle = ended.obstacle()
    if (obstacle === undefined && this.#retries.mayRepeat(group, attempts.limited)) return 0
    if (isInvalidKey) {
      scope.stop(obstacle ?? { code: 'invalid-keys-rate-limited', params: {} })
      return undefined
    }
    const waitMs = parseRetryAfterMs(headers, Date.now()) ?? 0
    scope.stop(obstacle ?? { code: 'rate-limited', params: { retryAfterMs: waitMs } })
    return undefined
  }
}

/**
 * Returns the name of the group to which a request belongs: requests of one operation and kind, which probably break
 * down in the same way.
 */
function groupOf({ kind }: AttemptCounts, { path }: ApiRequest): string {
  return `${findOperationByPath(path)} ${kind}`
}
