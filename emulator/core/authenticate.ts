import { KEY_PREFIX } from '../../contract/facts.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { Account, Accounts } from '../state/accounts.ts'
import type { ApiError } from './api-errors.ts'

/** Credentials in the Authorization header of a request. */
export interface Authentication {
  /** The second word of the header; empty if the header has none. */
  readonly key: string
  /** The account with this key, regardless of the authentication scheme. */
  readonly keyOwner: Account | undefined
  /** The account to charge, or the error for a request without a valid key: 401. */
  readonly payer: Account | ApiError
}

/** The last valid key of a connection. It saves the next request on that connection a digest. */
interface CachedAuthentication {
  readonly authorization: string
  /** Generation of the accounts at that time: see {@link Accounts.generation}. */
  readonly generation: number
  readonly authentication: Authentication
}

/**
 * Looks up the account of a bearer key (section 5, rules 1, 2 and 5). No other function looks up the key of a request.
 */
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
    return { key, keyOwner, payer: keyOwner ?? invalidKey(key) }
  }
}

const NO_HEADER: Authentication = {
  key: '',
  keyOwner: undefined,
  payer: { code: 'no-key', message: 'No API key was given. Send the header "Authorization: Bearer <API_KEY>".' },
}

function invalidKey(key: string): ApiError {
  const hint = key.startsWith(KEY_PREFIX) ? 'No account has it.' : `API keys start with ${KEY_PREFIX}.`
  return { code: 'invalid-key', message: `The API key is not valid. ${hint}` }
}
