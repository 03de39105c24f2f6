import { KEY_PREFIX } from '../../contract/facts.ts'
import { EXTENSIONS, type ServedOperationName } from '../operations/served-operations.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { Account, Accounts } from '../state/accounts.ts'
import type { Consumption } from '../state/limits/rate-limiters.ts'
import { isApiError, type ApiError } from './api-errors.ts'
import { findStoredResponse, type Endpoints } from './endpoints.ts'

interface UncheckedRequest {
  readonly method: string
  readonly path: string
  readonly authentication: Authentication
}

/** Account and operation of a request that passed all checks that need no body. */
export interface AccessGrant {
  readonly account: Account
  readonly operation: ServedOperationName
  /** Result of counting the request against the request limit. Undefined if the account has no request limit. */
  readonly requestUse: Consumption | undefined
}

/**
 * Runs the checks that need no body: authentication (401), request limit (429) and routing (404). The option
 * `order-of-refusals` can move routing to the front. This option and `models-credits` can add a credit check (402).
 */
export function checkAccess(
  request: UncheckedRequest,
  endpoints: Endpoints,
  behaviour: BehaviourOptions,
): AccessGrant | ApiError {
  const { 'order-of-refusals': order } = behaviour
  const early = order === 'path-first' ? route(request, endpoints, behaviour) : undefined
  if (isApiError(early)) return early
  const account = request.authentication.payer
  if (isApiError(account)) return account
  const requestUse = consumeRequest(account)
  if (isApiError(requestUse)) return requestUse
  const operation = early ?? route(request, endpoints, behaviour)
  if (isApiError(operation)) return operation
  const needsCredits = operation === 'models' ? behaviour['models-credits'] !== 'free' : order === 'credits-first'
  if (needsCredits && account.ledger.balance().availableUnits <= 0) return NO_CREDITS
  return { account, operation, requestUse }
}

/** Error (402) for an account without credits, regardless of the cost of the request. */
const NO_CREDITS: ApiError = {
  code: 'insufficient-credits',
  message: 'Insufficient credits: the account has none.',
  credits: { needed: '0.0001', available: '0' },
}

/** API key of a request, and the account of this key. */
export interface Authentication {
  /** Text after the authentication scheme in the Authorization header. Empty if there is none. */
  readonly key: string
  /** Account with this key, even if the authentication scheme is not Bearer. */
  readonly keyOwner: Account | undefined
  /** Account to charge, or the error for a request without a valid key (401). */
  readonly payer: Account | ApiError
}

/** Cached result for the last valid key on a connection. Avoids hashing the same key for every request. */
interface CachedAuthentication {
  readonly authorization: string
  /** Value of {@link Accounts.generation} when the key was looked up. */
  readonly generation: number
  readonly authentication: Authentication
}

/** Finds the account of a bearer key (section 5, rules 1, 2 and 5). Authenticates all /v1 requests. */
export class Authenticator {
  readonly #accounts: Accounts
  readonly #behaviour: BehaviourOptions
  readonly #byConnection = new WeakMap<object, CachedAuthentication>()

  constructor(accounts: Accounts, behaviour: BehaviourOptions) {
    this.#accounts = accounts
    this.#behaviour = behaviour
  }

  authenticate(authorization: string | undefined, connection?: object): Authentication {
    if (authorization === undefined) return NO_HEADER
    const { generation } = this.#accounts
    const cached = connection === undefined ? undefined : this.#byConnection.get(connection)
    if (cached?.authorization === authorization && cached.generation === generation) return cached.authentication
    const authentication = this.#lookUp(authorization)
    if (connection !== undefined && authentication.keyOwner !== undefined) {
      this.#byConnection.set(connection, { authorization, generation, authentication })
    }
    return authentication
  }

  #lookUp(authorization: string): Authentication {
    const [, scheme = '', key = ''] = /^([^ ]*) *([^ ]*)/.exec(authorization.trim()) ?? []
    if (scheme === '') return NO_HEADER
    const keyOwner = this.#accounts.findByKey(key)
    const accepted = this.#behaviour['bearer-case'] === 'exact' ? scheme : scheme.toLowerCase().replace('b', 'B')
    if (accepted !== 'Bearer' || key === '') {
      const message = 'The Authorization header must have the form "Bearer <API_KEY>".'
      return { key, keyOwner, payer: { code: 'no-key', message } }
    }
    return { key, keyOwner, payer: keyOwner ?? createInvalidKeyError(key) }
  }
}

const NO_HEADER: Authentication = {
  key: '',
  keyOwner: undefined,
  payer: { code: 'no-key', message: 'No API key was given. Send the header "Authorization: Bearer <API_KEY>".' },
}

function createInvalidKeyError(key: string): ApiError {
  const hint = key.startsWith(KEY_PREFIX) ? 'No account has this key.' : `API keys start with ${KEY_PREFIX}.`
  return { code: 'invalid-key', message: `The API key is not valid. ${hint}` }
}

/**
 * Counts a request against the request limit of its account.
 * @returns undefined if the account has no request limit, or an error if the limit is exceeded (429)
 */
function consumeRequest({ limiters }: Account): Consumption | ApiError | undefined {
  const requests = limiters?.requests
  const retryAfterMs = requests?.getWaitMs(1) ?? 0
  if (retryAfterMs === 0) return requests?.consume(1)
  return { code: 'rate-limited', message: 'The rate limit of this API key is exceeded.', retryAfterMs }
}

/**
 * Finds the operation for a method and a path (section 4).
 * @returns the operation, or an error: 404, or 405 if the option `wrong-method` selects it
 */
function route(
  request: UncheckedRequest,
  endpoints: Endpoints,
  behaviour: BehaviourOptions,
): ServedOperationName | ApiError {
  // Routes HEAD like GET. The transport omits the body (RFC 9110, section 9.3.2).
  const method = request.method === 'HEAD' && behaviour.head === 'as-get' ? 'GET' : request.method
  const path = behaviour['trailing-slash'] === 'same' ? request.path.replace(/(?<=.)\/$/, '') : request.path
  const endpoint = endpoints.get(path) ?? findStoredResponse(endpoints, path)
  if (endpoint?.methods.includes(method) === true) return endpoint.operation
  if (endpoint !== undefined && behaviour['wrong-method'] === '405') {
    const allow = endpoint.methods.join(', ')
    return { code: 'method-not-allowed', message: `${path} takes ${allow} only.`, allow }
  }
  const extension = Object.entries(EXTENSIONS).find(([, extended]) => extended.path === path)?.[0]
  const remedy = extension === undefined ? '' : ` Enable the extension ${extension} of the emulator (--extension).`
  return { code: 'unknown-endpoint', message: `There is no endpoint ${request.method} ${path}.${remedy}` }
}
