import type { Decisions } from '../options/unspecified-behaviour/decisions.ts'
import { isApiError, type ApiError } from './api-errors.ts'
import type { Clock } from '../state/clock.ts'
import { admit, type Admitted } from './request-limit.ts'
import { authenticate } from './authenticate.ts'
import { locate, type Located } from './route.ts'
import type { Received } from './receive.ts'

/** A request of somebody known, to somewhere known: its body may be read. */
export type Opened = Admitted & Located

/** What the first stages work with. */
export interface OpeningContext {
  readonly clock: Clock
  readonly decisions: Decisions
}

/** Takes a request through the stages before its body is read, in the order that is decided. */
export function open(request: Received, context: OpeningContext): Opened | ApiError {
  const { decisions } = context
  const opened = OPENINGS[decisions['order-of-refusals']](request, context)
  const isFree = isApiError(opened) || opened.operation !== 'models' || decisions['models-credits'] === 'free'
  return isFree ? opened : requireCredits(opened) // 402
}

/** The decision `order-of-refusals`. */
const OPENINGS: Readonly<
  Record<Decisions['order-of-refusals'], (request: Received, context: OpeningContext) => Opened | ApiError>
> = {
  'auth-first': authFirst,

  'path-first': (request, { clock, decisions }) => {
    const located = locate(request, decisions) // 404
    if (isApiError(located)) return located
    const authenticated = authenticate(located, decisions) // 401
    if (isApiError(authenticated)) return authenticated
    return admit(authenticated, clock) // 429
  },

  'credits-first': (request, context) => {
    const opened = authFirst(request, context) // 401, 429, 404
    if (isApiError(opened) || opened.operation === 'models') return opened
    return requireCredits(opened) // 402
  },
}

function authFirst(request: Received, { clock, decisions }: OpeningContext): Opened | ApiError {
  const authenticated = authenticate(request, decisions) // 401
  if (isApiError(authenticated)) return authenticated
  const admitted = admit(authenticated, clock) // 429
  if (isApiError(admitted)) return admitted
  return locate(admitted, decisions) // 404
}

/** Refuses an account that has no credits at all, whatever the request would cost. */
function requireCredits(request: Opened): Opened | ApiError {
  if (request.account.ledger.balance().availableUnits > 0) return request
  return {
    code: 'insufficient-credits',
    message: 'Insufficient credits: the account has none.',
    credits: { needed: '0.0001', available: '0' },
  }
}
