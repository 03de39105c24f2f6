import type { ApiError } from './api-errors.ts'
import type { AccountLimiters } from '../state/limits/account-limiters.ts'
import type { Consumption } from '../state/limits/rate-limiters.ts'
import type { Priced } from './price.ts'

/** A request within the token limit of its account, where that has one. */
export interface Rationed extends Priced {
  /** To be corrected to the tokens that were used, whatever happens. */
  readonly tokenTake: Consumption | undefined
}

/**
 * Holds the request against its account's token limit (section 7, status 429). As with credits, the most that it can use
 * counts until it is known what it did use. Whoever is refused here has taken nothing of the request limit either.
 * @returns the request with its tokens taken, or the refusal with which it leaves: 429
 */
export function ration(request: Priced): Rationed | ApiError {
  const { account, work, requestTake } = request
  const { maxUsedTokens } = work
  const tokens = account.limiters?.tokens
  if (account.limiters === undefined || tokens === undefined || maxUsedTokens === 0) {
    return Object.assign(request, { tokenTake: undefined })
  }
  if (tokens.waitMs(maxUsedTokens) === 0) return Object.assign(request, { tokenTake: tokens.consume(maxUsedTokens) })
  requestTake?.reduceTo(0)
  return refuseTokens(account.limiters, maxUsedTokens)
}

function refuseTokens({ tokens, requests }: AccountLimiters, ceilingTokens: number): ApiError {
  const tokensWaitMs = tokens?.waitMs(ceilingTokens)
  if (tokensWaitMs === undefined) {
    // No Retry-After: waiting does not help.
    const message = `The request can use up to ${ceilingTokens} tokens, more than the token limit of this API key, ${tokens?.limit}.`
    return { code: 'rate-limited', message }
  }
  const message = `The token limit of this API key is exceeded: the request can use up to ${ceilingTokens}, ${tokens?.remaining()} are left.`
  return { code: 'rate-limited', message, retryAfterMs: Math.max(tokensWaitMs, requests?.waitMs(1) ?? 0) }
}
