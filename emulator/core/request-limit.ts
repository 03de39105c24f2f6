import type { ApiError } from './api-errors.ts'
import type { Clock } from '../state/clock.ts'
import type { Consumption } from '../state/limits/rate-limiters.ts'
import type { Authenticated } from './authenticate.ts'

/** A request within the request limit of its account, where that has one. */
export interface Admitted extends Authenticated {
  /** To be corrected to 0 when the request turns out to be more than another limit of the account. */
  readonly requestTake: Consumption | undefined
  /** On the clock's monotonic scale. */
  readonly admittedAtMs: number
}

/**
 * Holds the request against its account's request limit (section 7, status 429).
 * @returns the request with the moment of its admission, or the refusal with which it leaves: 429
 */
export function admit<Request extends Authenticated>(request: Request, clock: Clock): (Request & Admitted) | ApiError {
  const requests = request.account.limiters?.requests
  const retryAfterMs = requests?.waitMs(1) ?? 0
  if (retryAfterMs > 0) {
    return { code: 'rate-limited', message: 'The rate limit of this API key is exceeded.', retryAfterMs }
  }
  return Object.assign(request, { requestTake: requests?.consume(1), admittedAtMs: clock.nowMs() })
}
