import { KEY_PREFIX } from '../../contract/facts.ts'
import type { Decisions } from '../options/unspecified-behaviour/decisions.ts'
import type { ApiError } from './api-errors.ts'
import type { Account, Accounts } from '../state/accounts.ts'
import type { Received } from './receive.ts'

/** Who pays. */
export interface Payer {
  readonly account: Account
}

/** A request with the account that pays for it. */
export interface Authenticated extends Received, Payer {}

/**
 * Finds the account of the bearer key (section 5, rules 1, 2 and 5).
 * @returns the request with its account, or the refusal with which it leaves: 401
 */
export function authenticate<Request extends Pick<Received, 'credentials'>>(
  request: Request,
  decisions: Decisions,
): (Request & Payer) | ApiError {
  const { scheme, key, account } = request.credentials
  if (scheme === '') {
    return { code: 'no-key', message: 'No API key was given. Send the header "Authorization: Bearer <API_KEY>".' }
  }
  const expected = decisions['bearer-case'] === 'exact' ? scheme : scheme.toLowerCase().replace('b', 'B')
  if (expected !== 'Bearer' || key === '') {
    return { code: 'no-key', message: 'The Authorization header must have the form "Bearer <API_KEY>".' }
  }
  if (account === undefined) {
    const hint = key.startsWith(KEY_PREFIX) ? 'No account has it.' : `API keys start with ${KEY_PREFIX}.`
    return { code: 'invalid-key', message: `The API key is not valid. ${hint}` }
  }
  return Object.assign(request, { account })
}

/** What an Authorization header says, and whose key it brings. */
export interface Credentials {
  /** The first word of the header; empty where there is none. */
  readonly scheme: string
  /** The second word; empty where there is none. */
  readonly key: string
  /** Whose key it is, whatever the scheme; undefined: nobody's. */
  readonly account: Account | undefined
}

/** Takes an Authorization header apart, once for each request: to look a key up costs a digest. */
export function readCredentials(authorization: string | undefined, accounts: Accounts): Credentials {
  if (authorization === undefined) return { scheme: '', key: '', account: undefined }
  const [, scheme = '', key = ''] = /^([^ ]*) *([^ ]*)/.exec(authorization.trim()) ?? []
  return { scheme, key, account: accounts.findByKey(key) }
}
