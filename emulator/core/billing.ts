import type { PreparedOperation } from '../operations/operation.ts'
import type { Account } from '../state/accounts.ts'
import { formatUnits } from '../state/credits.ts'
import type { Hold } from '../state/ledger.ts'
import type { AccountLimiters } from '../state/limits/account-limiters.ts'
import type { Consumption } from '../state/limits/rate-limiters.ts'
import { isApiError, type ApiError } from './api-errors.ts'

export interface BillableRequest {
  /** Value of the response header `x-request-id`. */
  readonly requestId: string
  readonly account: Account
  readonly work: PreparedOperation
  readonly requestUse: Consumption | undefined
}

/**
 * The bill of one request:
 * - {@link open} holds the maximum cost.
 * - {@link settle} charges the actual usage and releases the remaining credits.
 * - {@link release} releases the whole hold without a charge.
 *
 * Only the first successful call of `settle` or `release` has an effect. `handle-request.ts` can therefore always call
 * `release` at the end, and no request is charged twice. Only this class calls `hold` and `settle` of a ledger.
 */
export class RequestCharge {
  /** Number of tokens that the request used; 0 until the bill is settled. */
  usedTokens = 0
  /** Number of reasoning tokens among the used tokens; 0 until the bill is settled. */
  reasoningTokens = 0
  /** Charge in units of 0.0001 credit; 0 until the bill is settled. */
  chargedUnits = 0
  readonly #account: Account
  readonly #hold: Hold
  readonly #tokenUse: Consumption | undefined
  readonly #unitsPerToken: number
  readonly #freeTokens: number
  #isOpen = true

  private constructor(
    account: Account,
    hold: Hold,
    tokenUse: Consumption | undefined,
    unitsPerToken: number,
    freeTokens: number,
  ) {
    this.#account = account
    this.#hold = hold
    this.#tokenUse = tokenUse
    this.#unitsPerToken = unitsPerToken
    this.#freeTokens = freeTokens
  }

  /**
   * Counts the maximum number of tokens of a request against the token limit of its account, and holds the maximum cost
   * (section 5, rules 4 and 5; section 8).
   * @returns the bill, or an error if the token limit (429) or the credits (402) do not allow the request
   */
  static open({ requestId, account, work, requestUse }: BillableRequest): RequestCharge | ApiError {
    const { model, unitsPerToken, maxUsedTokens, freeTokens } = work
    const maxUnits = (maxUsedTokens - freeTokens) * unitsPerToken
    const tokenUse = consumeTokens(account, maxUsedTokens, requestUse)
    if (isApiError(tokenUse)) return tokenUse
    let hold: Hold | undefined
    try {
      hold = account.ledger.hold(maxUnits, { requestId, model, tokens: maxUsedTokens })
    } finally {
      if (hold === undefined) tokenUse?.reduceTo(0)
    }
    if (hold === undefined) return createInsufficientCreditsError(account, maxUnits)
    return new RequestCharge(account, hold, tokenUse, unitsPerToken, freeTokens)
  }

  /**
   * Reduces the tokens counted against the token limit from the maximum to the actual usage, so that the rate limit
   * header fields are exact.
   */
  countTokens(usedTokens: number): void {
    if (this.#isOpen) this.#tokenUse?.reduceTo(usedTokens)
  }

  /** Charges the used tokens minus the free tokens, and releases the rest of the hold. */
  settle(usedTokens: number, reasoningTokens = 0): void {
    if (!this.#isOpen) return
    const chargedUnits = Math.max(0, usedTokens - this.#freeTokens) * this.#unitsPerToken
    this.countTokens(usedTokens)
    this.#account.ledger.settle(this.#hold, chargedUnits, usedTokens)
    this.#isOpen = false
    this.usedTokens = usedTokens
    this.reasoningTokens = Math.min(reasoningTokens, usedTokens)
    this.chargedUnits = chargedUnits
  }

  release(): void {
    this.settle(0)
  }
}

function createInsufficientCreditsError({ ledger }: Account, neededUnits: number): ApiError {
  const needed = formatUnits(neededUnits)
  const available = formatUnits(ledger.balance().availableUnits)
  return {
    code: 'insufficient-credits',
    message: `Insufficient credits: up to ${needed} are needed, ${available} are available.`,
    credits: { needed, available },
  }
}

/**
 * Counts the maximum token usage of a request against the token limit of its account (section 7, status 429). {@link
 * RequestCharge.countTokens} reduces it to the actual usage. A request that exceeds the token limit does not count against the
 * request limit.
 * @returns undefined if the account has no token limit, or the request uses no tokens
 */
function consumeTokens(
  { limiters }: Account,
  maxUsedTokens: number,
  requestUse: Consumption | undefined,
): Consumption | ApiError | undefined {
  const tokens = limiters?.tokens
  if (limiters === undefined || tokens === undefined || maxUsedTokens === 0) return undefined
  if (tokens.getWaitMs(maxUsedTokens) === 0) return tokens.consume(maxUsedTokens)
  requestUse?.reduceTo(0)
  return createTokenLimitError(limiters, maxUsedTokens)
}

function createTokenLimitError({ tokens, requests }: AccountLimiters, maxUsedTokens: number): ApiError {
  const tokensWaitMs = tokens?.getWaitMs(maxUsedTokens)
  if (tokensWaitMs === undefined) {
    // The response has no Retry-After, because a retry would exceed the limit too.
    const message = `The request can use up to ${maxUsedTokens} tokens, but the token limit of this API key is ${tokens?.limit}.`
    return { code: 'rate-limited', message }
  }
  const message = `The token limit of this API key is exceeded: the request can use up to ${maxUsedTokens} tokens, and ${tokens?.getRemaining()} are available.`
  return { code: 'rate-limited', message, retryAfterMs: Math.max(tokensWaitMs, requests?.getWaitMs(1) ?? 0) }
}
