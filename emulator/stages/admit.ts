import type { Refusal } from '../refusals.ts'
import type { Clock } from '../state/clock.ts'
import type { Authenticated } from './authenticate.ts'

/** A request within its account's rate limit. */
export interface Admitted extends Authenticated {
  /** On the clock's monotonic scale. */
  readonly admittedAtMs: number
}

/**
 * Holds the request against its account's rate limit (section 7, status 429).
 * @returns the request with the moment of its admission, or the refusal with which it leaves: 429
 */
export function admit<Request extends Authenticated>(request: Request, clock: Clock): (Request & Admitted) | Refusal {
  const retryAfterMs = request.account.bucket?.take() ?? 0
  if (retryAfterMs > 0) {
    return { refused: 'rate-limited', message: 'The rate limit of this API key is exceeded.', retryAfterMs }
  }
  return { ...request, admittedAtMs: clock.nowMs() }
}
