import type { Account } from '../state/accounts.ts'
import type { AccountLimiters } from '../state/limits/account-limiters.ts'
import type { Consumption } from '../state/limits/rate-limiters.ts'
import type { ApiError } from './api-errors.ts'

/**
 * Counts a request against the request limit of its account (section 7, status 429).
 * @returns undefined if the account has no such limit
 */
export function consumeRequest({ limiters }: Account): Consumption | ApiError | undefined {
  const requests = limiters?.requests
  const retryAfterMs = requests?.waitMs(1) ?? 0
  if (retryAfterMs === 0) return requests?.consume(1)
  return { code: 'rate-limited', message: 'The rate limit of this API key is exceeded.', retryAfterMs }
}

/**
 * Counts the maximum tokens of a request against the token limit of its account (section 7, status 429). The count is
 * reduced once the usage is known. A request that this limit rejects does not count against the request limit.
 * @returns undefined if the account has no such limit
 */
export function consumeTokens(
  { limiters }: Account,
  maxUsedTokens: number,
  requestUse: Consumption | undefined,
): Consumption | ApiError | undefined {
  const tokens = limiters?.tokens
  if (limiters === undefined || tokens === undefined || maxUsedTokens === 0) return undefined
  if (tokens.waitMs(maxUsedTokens) === 0) return tokens.consume(maxUsedTokens)
  requestUse?.reduceTo(0)
  return tokenLimitExceeded(limiters, maxUsedTokens)
}

function tokenLimitExceeded({ tokens, requests }: AccountLimiters, maxUsedTokens: number): ApiError {
  const tokensWaitMs = tokens?.waitMs(maxUsedTokens)
  if (tokensWaitMs === undefined) {
    // No Retry-After: waiting does not help.
    const message = `The request can use up to ${maxUsedTokens} tokens, more than the token limit of this API key, ${tokens?.limit}.`
    return { code: 'rate-limited', message }
  }
  const message = `The token limit of this API key is exceeded: the request can use up to ${maxUsedTokens}, ${tokens?.remaining()} are left.`
  return { code: 'rate-limited', message, retryAfterMs: Math.max(tokensWaitMs, requests?.waitMs(1) ?? 0) }
}
