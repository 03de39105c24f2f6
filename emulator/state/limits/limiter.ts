import type { Clock } from '../clock.ts'
import { FixedWindow } from './fixed-window.ts'
import type { Meter } from './meter.ts'
import { resolveLimits, type Limits, type Quota, type RateLimit } from './rate-limit.ts'
import { SlidingWindow } from './sliding-window.ts'
import { TokenBucket } from './token-bucket.ts'

/** The limits of one account. Absent: no such limit. */
export interface Limiter {
  readonly requests: Meter | undefined
  readonly tokens: Meter | undefined
}

/** Starts to meter an account, with nothing taken. */
export function createLimiter(rateLimit: RateLimit, clock: Clock): Limiter {
  const limits = resolveLimits(rateLimit)
  return {
    requests: limits.requests === undefined ? undefined : createMeter(limits, limits.requests, clock),
    tokens: limits.tokens === undefined ? undefined : createMeter(limits, limits.tokens, clock),
  }
}

function createMeter({ algorithm, windowMs }: Limits, { most, perMs }: Quota, clock: Clock): Meter {
  switch (algorithm) {
    case 'token-bucket':
      return new TokenBucket(clock, most, perMs)
    case 'fixed-window':
      return new FixedWindow(clock, most, windowMs)
    case 'sliding-window':
      return new SlidingWindow(clock, most, windowMs)
  }
}
