import type { Clock } from '../clock.ts'
import { FixedWindow, type RateLimiter, SlidingWindow, TokenBucket } from './rate-limiters.ts'
import { resolveRateLimit, type ResolvedRateLimit, type Quota, type RateLimit } from './rate-limit.ts'

/** Rate limiters of one account. A limiter is undefined if the account has no such limit. */
export interface AccountLimiters {
  readonly requests: RateLimiter | undefined
  readonly tokens: RateLimiter | undefined
}

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

/**
 * Builds the header fields with the current state of the limits: `x-ratelimit-limit-requests`,
 * `x-ratelimit-remaining-requests`, `x-ratelimit-reset-requests`, and the same for `tokens`.
 */
export function buildRateLimitHeaders({ requests, tokens }: AccountLimiters): Record<string, string> {
  return { ...buildLimiterHeaders('requests', requests), ...buildLimiterHeaders('tokens', tokens) }
}

function buildLimiterHeaders(name: string, meter: RateLimiter | undefined): Record<string, string> {
  if (meter === undefined) return {}
  return {
    [`x-ratelimit-limit-${name}`]: String(meter.limit),
    [`x-ratelimit-remaining-${name}`]: String(meter.getRemaining()),
    [`x-ratelimit-reset-${name}`]: formatDuration(meter.getResetMs()),
  }
}

/** Formats a duration as `0s`, `350ms`, `1.25s`, `6m0s` or `1h0m0s`, rounded up to whole milliseconds. */
export function formatDuration(durationMs: number): string {
  // Subtracts a possible rounding error of floating-point times before rounding up.
  const ms = Math.ceil(durationMs - 1e-6)
  if (ms <= 0) return '0s'
  if (ms < 1000) return `${ms}ms`
  const minutes = Math.floor(ms / 60_000)
  const seconds = `${(ms % 60_000) / 1000}s`
  if (minutes === 0) return seconds
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`
}
