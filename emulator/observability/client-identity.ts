import type { Account, Accounts } from '../state/accounts.ts'
import type { Notes } from './request-log/request-record.ts'

/** Who sent a request, as far as its key tells. */
export interface Client {
  /** Null: no account has the key. */
  readonly account: string | null
  /** The last characters of the key, never more than four and never most of it. Null: no key was sent. */
  readonly keySuffix: string | null
}

/** Finds out who sent a request. */
export function clientOf({ credentials: { key, account } }: Notes): Client {
  return account === undefined ? unknownClient(key) : clientOfAccount(account)
}

/** The client that uses a key. */
export function findClient(key: string, accounts: Accounts): Client {
  const account = accounts.findByKey(key)
  return account === undefined ? unknownClient(key) : clientOfAccount(account)
}

/** The holder of an account. */
export function clientOfAccount(account: Account): Client {
  return { account: account.id, keySuffix: account.key.slice(-4) }
}

/** A client whose key no account has. */
function unknownClient(key: string): Client {
  return { account: null, keySuffix: keySuffixOf(key) }
}

/** The end of a key as it may be shown: four characters, fewer of a short key, of which they would be most; null: none. */
export function keySuffixOf(key: string): string | null {
  const shown = Math.min(4, Math.floor(key.length / 4))
  return shown === 0 ? null : key.slice(-shown)
}
