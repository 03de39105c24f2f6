import type { Reserved } from './hold.ts'

/**
 * Charges what was used and frees the rest of the hold (section 8), of credits and of the token limit: once per request, on
 * finish, abort and failure.
 */
export function settle(request: Reserved, usedTokens: number): void {
  const chargedTokens = Math.max(0, usedTokens - request.work.freeTokens)
  const chargedUnits = chargedTokens * request.unitsPerToken
  request.notes.usedTokens = usedTokens
  request.notes.chargedUnits = chargedUnits
  request.tokenTake?.reduceTo(usedTokens)
  request.account.ledger.settle(request.hold, chargedUnits, usedTokens)
}
