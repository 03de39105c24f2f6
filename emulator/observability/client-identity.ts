import type { Account, Accounts } from '../state/accounts.ts'
import type { ObservedRequest } from '../core/events.ts'

/** A client of the emulator, identified by its API key. */
export interface ClientIdentity {
  /** Account id. Null if no account has the client's key. */
  readonly account: string | null
  /** Last characters of the key, at most four. Null if the key is missing or shorter than four characters. */
  readonly keySuffix: string | null
}

export function identifyClient({ key, keyOwner }: ObservedRequest): ClientIdentity {
  return keyOwner === undefined ? identifyUnknownClient(key) : identifyAccountClient(keyOwner)
}

export function identifyClientByKey(key: string, accounts: Accounts): ClientIdentity {
  const account = accounts.findByKey(key)
  return account === undefined ? identifyUnknownClient(key) : identifyAccountClient(account)
}

export function identifyAccountClient(account: Account): ClientIdentity {
  return { account: account.id, keySuffix: getKeySuffix(account.key) }
}

function identifyUnknownClient(key: string): ClientIdentity {
  return { account: null, keySuffix: getKeySuffix(key) }
}

/**
 * Returns the last characters of a key, which logs may show: at most four, and at most a quarter of the key. Returns
 * null for keys shorter than four characters.
 */
export function getKeySuffix(key: string): string | null {
  const shown = Math.min(4, Math.floor(key.length / 4))
  return shown === 0 ? null : key.slice(-shown)
}
