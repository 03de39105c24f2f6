import { fingerprintSecret } from '../../common/secrets/fingerprint.ts'
import type { Account, Accounts } from '../state/accounts.ts'
import type { ObservedRequest } from '../core/events.ts'

/** A client of the emulator, identified by its API key. */
export interface ClientIdentity {
  /** Account id. Null if no account has the client's key. */
  readonly account: string | null
  /** Start of the digest of the key, such as `sha256:1f3870be`, or `(hidden)` for a short key. Null without a key. */
  readonly keyFingerprint: string | null
}

const accountClients = new WeakMap<Account, ClientIdentity>()

export function identifyClient({ key, keyOwner }: ObservedRequest): ClientIdentity {
  return keyOwner === undefined ? identifyUnknownClient(key) : identifyAccountClient(keyOwner)
}

export function identifyClientByKey(key: string, accounts: Accounts): ClientIdentity {
  const account = accounts.findByKey(key)
  return account === undefined ? identifyUnknownClient(key) : identifyAccountClient(account)
}

export function identifyAccountClient(account: Account): ClientIdentity {
  const known = accountClients.get(account)
  if (known !== undefined) return known
  const client = { account: account.id, keyFingerprint: fingerprintSecret(account.key) }
  accountClients.set(account, client)
  return client
}

function identifyUnknownClient(key: string): ClientIdentity {
  return { account: null, keyFingerprint: key === '' ? null : fingerprintSecret(key) }
}
