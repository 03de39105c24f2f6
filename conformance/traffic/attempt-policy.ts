import { hasBrokenDown } from '../http/breakdown.ts'
import type { Exchange } from '../http/exchange.ts'
import { parseRetryAfterMs } from '../http/retry-after.ts'
import { hasErrorBody, hasServerError } from '../http/stream-error.ts'
import { lacksResult } from '../findings/expect.ts'
import type { RunObstacle } from '../findings/run-obstacle.ts'
import type { RequestKind } from '../requests/classify-request.ts'
import type { DispatchedRequest } from './dispatched-request.ts'
import type { Health } from './target-health.ts'
import { MAX_LIMITED, MAX_REPEAT_PAUSE_MS, REPEAT_PAUSE_MS } from './policy.ts'

/** State of one request over all attempts to send it. */
export interface AttemptCounts {
  readonly number: number
  readonly kind: RequestKind
  /** Number of attempts that got a 429. */
  limited: number
  hasBrokenDown: boolean
  /** Whether the target rejected the request although it should serve it, see `isDoubtful`. */
  wasRejected: boolean
  /** Whether the next attempt runs alone, because another request may be the reason. Not after a timeout. */
  isAlone: boolean
  /** Whether the engine repeated the request after an outage of the target, or what may have been one. */
  wasOut: boolean
}

/** Returns the state of a request before its first attempt. */
export function startAttempts(number: number, kind: RequestKind): AttemptCounts {
  return { number, kind, limited: 0, hasBrokenDown: false, wasRejected: false, isAlone: false, wasOut: false }
}

export interface EndedAttempt {
  readonly exchange: Exchange
  readonly health: Health
  /** Whether the target served the control request of the operation, as far as the run knows. */
  readonly isControlServed: boolean
  /** Returns why the rate limit of the key prevents another attempt, or undefined if it does not. */
  obstacle(): RunObstacle | undefined
}

/** What follows an attempt: another one after `delayMs`, or the end of the check because of `obstacle`. */
export interface NextStep {
  readonly delayMs?: number
  readonly obstacle?: RunObstacle
  /** Whether a request with a valid key got only 429s, although the rate limit allows further requests. */
  readonly isLimited?: true
}

/** Decides from the responses to one request whether the engine sends it again. */
export function decideNextStep(dispatched: DispatchedRequest, ended: EndedAttempt, attempts: AttemptCounts): NextStep {
  const { exchange, health } = ended
  const hasBrokenDownAgain = attempts.hasBrokenDown && hasBrokenDown(exchange)
  const isOut = health === 'back' && (exchange.error?.kind === 'refused' || hasBrokenDownAgain)
  // Both attempts may belong to an outage that ended before the control request.
  const mayHaveBeenOut =
    health === 'alive' &&
    ended.isControlServed &&
    hasBrokenDownAgain &&
    exchange.error?.kind !== 'timeout' &&
    dispatched.group === undefined
  if ((isOut || mayHaveBeenOut) && !attempts.wasOut) {
    attempts.wasOut = true
    return { delayMs: 0 }
  }
  const reportsError = hasErrorBody(exchange)
  const isBroken = hasBrokenDown(exchange) || reportsError || (attempts.kind === 'valid' && hasServerError(exchange))
  if (isBroken && !attempts.hasBrokenDown) {
    attempts.hasBrokenDown = true
    attempts.isAlone = exchange.error?.kind !== 'timeout'
    // A target that reports errors with a success status may do so for every invalid request.
    const pauseMs = reportsError && attempts.kind !== 'valid' ? 0 : REPEAT_PAUSE_MS
    const retryAfterMs = parseRetryAfterMs(exchange.headers) ?? pauseMs
    return { delayMs: Math.min(Math.max(retryAfterMs, pauseMs), MAX_REPEAT_PAUSE_MS) }
  }
  if (ended.isControlServed && !attempts.wasRejected && isDoubtful(dispatched, exchange, attempts)) {
    attempts.wasRejected = true
    attempts.isAlone = true
    return { delayMs: 0 }
  }
  return isRateLimited(dispatched, exchange) && dispatched.retryRateLimited !== false
    ? decideAfterRateLimit(dispatched, ended, attempts)
    : {}
}

/** Returns the delay of the next attempt. A group repeats together, but after a 429 each request waits on its own. */
export async function agreeInGroup(
  { request, group }: Pick<DispatchedRequest, 'request' | 'group'>,
  { exchange, delayMs }: { readonly exchange: Exchange; readonly delayMs: number | undefined },
  attempts: AttemptCounts,
): Promise<number | undefined> {
  if (group === undefined || (delayMs !== undefined && isRateLimited({ request }, exchange))) return delayMs
  const agreedMs = await group.agree(delayMs)
  if (agreedMs !== undefined) Object.assign(attempts, { hasBrokenDown: true, wasRejected: true, isAlone: false })
  return agreedMs
}

/** Statuses that concern only the key or its account, so that the funded key must never get them. */
const KEY_STATUSES: readonly number[] = [401, 402]

/** Returns whether the target should have served the request, as only a repeat that runs alone can show. */
export function isDoubtful(
  { request: { key } }: Pick<DispatchedRequest, 'request'>,
  exchange: Exchange,
  { kind }: Pick<AttemptCounts, 'kind'>,
): boolean {
  const { status, error, wasAborted } = exchange
  if (kind !== 'unspecified' && wasAborted === undefined && lacksResult(exchange)) return true
  const isRejection = error === undefined && status >= 400 && status < 500 && status !== 429
  return key === 'funded' && isRejection && (kind === 'valid' || KEY_STATUSES.includes(status))
}

/** Returns whether a response is a 429 that depends on the key of the tester, and is no finding. */
export function isRateLimited({ request: { key } }: Pick<DispatchedRequest, 'request'>, { status }: Exchange): boolean {
  return status === 429 && key !== 'no-credits' && key !== 'limited'
}

function decideAfterRateLimit(
  { request: { key } }: DispatchedRequest,
  { exchange, obstacle }: EndedAttempt,
  attempts: AttemptCounts,
): NextStep {
  attempts.limited += 1
  const closed = obstacle()
  if (closed === undefined && attempts.limited <= MAX_LIMITED) return { delayMs: 0 }
  if (closed !== undefined) return { obstacle: closed }
  if (key === 'none' || key === 'invalid') return { obstacle: { code: 'invalid-keys-rate-limited', params: {} } }
  const retryAfterMs = parseRetryAfterMs(exchange.headers) ?? 0
  return { obstacle: { code: 'rate-limited', params: { retryAfterMs } }, isLimited: true }
}
