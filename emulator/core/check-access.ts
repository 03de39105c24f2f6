import type { Operation } from '../../contract/facts.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { Account } from '../state/accounts.ts'
import type { Consumption } from '../state/limits/rate-limiters.ts'
import { isApiError, type ApiError } from './api-errors.ts'
import { consumeRequest } from './rate-limits.ts'
import type { RequestContext } from './request-context.ts'
import { route } from './route.ts'

/** A request that passed the checks before its body is read: valid key, request limit, existing operation. */
export interface Access {
  readonly account: Account
  readonly operation: Operation
  /** Undefined if the account has no request limit. */
  readonly requestUse: Consumption | undefined
}

/**
 * Runs the checks that need no body: authentication (401), request limit (429), routing (404). The option
 * `order-of-refusals` can put routing first, or add a check for credits (402).
 */
export function checkAccess(request: RequestContext, behaviour: BehaviourOptions): Access | ApiError {
  const { 'order-of-refusals': order } = behaviour
  const early = order === 'path-first' ? route(request, behaviour) : undefined
  if (isApiError(early)) return early
  const account = request.authentication.payer
  if (isApiError(account)) return account
  const requestUse = consumeRequest(account)
  if (isApiError(requestUse)) return requestUse
  const operation = early ?? route(request, behaviour)
  if (isApiError(operation)) return operation
  const needsCredits = operation === 'models' ? behaviour['models-credits'] !== 'free' : order === 'credits-first'
  if (needsCredits && account.ledger.balance().availableUnits <= 0) return NO_CREDITS
  return { account, operation, requestUse }
}

/** Returns the error for an account with no credits at all. The cost of the request does not matter. */
const NO_CREDITS: ApiError = {
  code: 'insufficient-credits',
  message: 'Insufficient credits: the account has none.',
  credits: { needed: '0.0001', available: '0' },
}
