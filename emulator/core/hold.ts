import type { ApiError } from './api-errors.ts'
import { creditsFromUnits } from '../state/credits.ts'
import type { Hold } from '../state/ledger.ts'
import type { Rationed } from './token-limit.ts'

/** A request with its credits set aside. From here on it must be settled, whatever happens. */
export interface Reserved extends Rationed {
  readonly hold: Hold
}

/**
 * Holds the most that the request can cost, before any work is done for it (section 5, rules 4 and 5).
 * @returns the request with its hold, or the refusal with which it leaves: 402
 */
export function reserve(request: Rationed): Reserved | ApiError {
  const { ledger } = request.account
  const { model, maxUsedTokens: tokens } = request.work
  const hold = ledger.hold(request.ceilingUnits, { requestId: request.notes.requestId, model, tokens })
  if (hold !== undefined) return Object.assign(request, { hold })
  request.tokenTake?.reduceTo(0)
  const needed = creditsFromUnits(request.ceilingUnits)
  const available = creditsFromUnits(ledger.balance().availableUnits)
  return {
    code: 'insufficient-credits',
    message: `Insufficient credits: up to ${needed} are needed, ${available} are available.`,
    credits: { needed, available },
  }
}
