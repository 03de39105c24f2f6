import type { Clock } from '../clock.ts'
import { FixedWindow } from './fixed-window.ts'
import type { RateLimiter } from './meter.ts'
import { resolveRateLimit, type ResolvedRateLimit, type Quota, type RateLimit } from './rate-limit.ts'
import { SlidingWindow } from './sliding-window.ts'
import { TokenBucket } from './token-bucket.ts'

/** The limits of one account. Absent: no such limit. */
export interface AccountLimiters {
  readonly requests: RateLimiter | undefined
  readonly tokens: RateLimiter | undefined
}

/** Starts to meter an account, with nothing taken. */
export function createAccountLimiters(rateLimit: RateLimit, clock: Clock): AccountLimiters {
  const limits = resolveRateLimit(rateLimit)
  return {
    requests: limits.requests === undefined ? undefined : createRateLimiter(limits, limits.requests, clock),
    tokens: limits.tokens === undefined ? undefined : createRateLimiter(limits, limits.tokens, clock),
  }
}

function createRateLimiter(
  { algorithm, windowMs }: ResolvedRateLimit,
  { capacity, refillPerMs }: Quota,
  clock: Clock,
): RateLimiter {
  switch (algorithm) {
    case 'token-bucket':
      return new TokenBucket(clock, capacity, refillPerMs)
    case 'fixed-window':
      return new FixedWindow(clock, capacity, windowMs)
    case 'sliding-window':
      return new SlidingWindow(clock, capacity, windowMs)
  }
}
