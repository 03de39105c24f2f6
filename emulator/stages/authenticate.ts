import { KEY_PREFIX } from '../../contract/facts.ts'
import type { Refusal } from '../refusals.ts'
import type { Account, Accounts } from '../state/accounts.ts'
import type { Received } from './receive.ts'

/** A request with the account that pays for it. */
export interface Authenticated extends Received {
  readonly account: Account
}

/**
 * Finds the account of the bearer key (section 5, rules 1, 2 and 5). The scheme's letter case does not matter (RFC 9110,
 * section 11.1).
 * @returns the request with its account, or the refusal with which it leaves: 401
 */
export function authenticate(request: Received, accounts: Accounts): Authenticated | Refusal {
  const [scheme = '', key = ''] = (request.authorization ?? '').trim().split(/ +/, 2)
  if (scheme === '') {
    return { refused: 'no-key', message: 'No API key was given. Send the header "Authorization: Bearer <API_KEY>".' }
  }
  if (scheme.toLowerCase() !== 'bearer' || key === '') {
    return { refused: 'no-key', message: 'The Authorization header must have the form "Bearer <API_KEY>".' }
  }
  const account = accounts.findByKey(key)
  if (account === undefined) {
    const hint = key.startsWith(KEY_PREFIX) ? 'No account has it.' : `API keys start with ${KEY_PREFIX}.`
    return { refused: 'invalid-key', message: `The API key is not valid. ${hint}` }
  }
  return { ...request, account }
}
