import { hash, randomBytes } from 'node:crypto'
import { KEY_PREFIX } from '../../contract/facts.ts'
import type { Clock } from './clock.ts'
import { parseCredits } from './credits.ts'
import { LedgerLog, type LedgerAccount } from './ledger-log.ts'
import { Ledger } from './ledger.ts'
import { createAccountLimiters, type AccountLimiters } from './limits/account-limiters.ts'
import type { RateLimit } from './limits/rate-limit.ts'

/** A prepaid account with one API key. */
export interface Account {
  readonly id: string
  readonly key: string
  readonly ledger: Ledger
  /** Account of the ledger log to which the entries of this account belong. */
  readonly ledgerAccount: LedgerAccount
  /** Rate limiters. Undefined if the account has no rate limit. */
  readonly limiters: AccountLimiters | undefined
}

export interface CreateAccountOptions {
  readonly startUnits: number
  /** Rate limit of the account. Default: `createdRate`. */
  readonly rateLimit?: RateLimit
  /** API key of the account. Default: a random key. */
  readonly key?: string
}

export type AccountCreationError = 'too-many-accounts' | 'key-in-use'

export interface RateLimitDefaults {
  /** Rate limit of the standard account `limited`. Default: 60 requests per minute with a burst of 5. */
  readonly limitedRate?: RateLimit
  /** Rate limit of created accounts that do not specify one. Default: none. */
  readonly createdRate?: RateLimit
}

/** API keys of the standard accounts. They are not secret. */
export const STANDARD_ACCOUNT_KEYS = {
  funded: `${KEY_PREFIX}touchstone-funded`,
  noCredits: `${KEY_PREFIX}touchstone-empty`,
  small: `${KEY_PREFIX}touchstone-small`,
  limited: `${KEY_PREFIX}touchstone-limited`,
} as const

interface StandardAccount {
  readonly id: string
  readonly key: string
  readonly credits: string
  readonly rateLimit?: RateLimit
}

export const STANDARD_ACCOUNTS: readonly StandardAccount[] = [
  { id: 'funded', key: STANDARD_ACCOUNT_KEYS.funded, credits: '1000000000' },
  { id: 'no-credits', key: STANDARD_ACCOUNT_KEYS.noCredits, credits: '0' },
  { id: 'small', key: STANDARD_ACCOUNT_KEYS.small, credits: '1' },
  {
    id: 'limited',
    key: STANDARD_ACCOUNT_KEYS.limited,
    credits: '1000000000',
    rateLimit: { requestsPerMinute: 60, burst: 5 },
  },
]

/** Maximum number of accounts. It limits the memory that a client in a loop can use. */
export const MAX_ACCOUNTS = 100_000

export function describeAccountCreationError(error: AccountCreationError): string {
  return error === 'key-in-use'
    ? 'Another account has this key. Choose a different one.'
    : `There are already ${MAX_ACCOUNTS} accounts. Reset the emulator.`
}

/** Stores all accounts and finds them by API key (section 5, rules 2 to 5). */
export class Accounts {
  readonly ledgerLog: LedgerLog
  readonly #clock: Clock
  readonly #defaults: RateLimitDefaults
  /**
   * Accounts by a salted digest of the key. The duration of a lookup therefore does not reveal how many characters of
   * an invalid key are correct.
   */
  readonly #byDigest = new Map<string, Account>()
  readonly #salt = randomBytes(16).toString('base64')
  readonly #initial: readonly CreateAccountOptions[]
  #created = 0
  #generation = 0

  /**
   * Creates the standard accounts and the initial accounts.
   * @param initial accounts that a reset restores, with the IDs `account-1`, `account-2` and so on
   */
  constructor(clock: Clock, defaults: RateLimitDefaults = {}, initial: readonly CreateAccountOptions[] = []) {
    this.#clock = clock
    this.ledgerLog = new LedgerLog(() => clock.unixMs())
    this.#defaults = defaults
    this.#initial = initial.map((options) => ({ key: createKey(), ...options }))
    this.#created = initial.length
    this.reset()
  }

  /** Counter that every reset increments. A reset invalidates all accounts that were looked up before it. */
  get generation(): number {
    return this.#generation
  }

  findByKey(key: string): Account | undefined {
    return this.#byDigest.get(this.#digestOf(key))
  }

  all(): readonly Account[] {
    return [...this.#byDigest.values()]
  }

  findById(id: string): Account | undefined {
    return this.all().find((account) => account.id === id)
  }

  create(options: CreateAccountOptions): Account | AccountCreationError {
    if (this.#byDigest.size >= MAX_ACCOUNTS) return 'too-many-accounts'
    if (options.key !== undefined && this.findByKey(options.key) !== undefined) return 'key-in-use'
    this.#created += 1
    return this.#addCreated(`account-${this.#created}`, options)
  }

  /** Removes created accounts, and restores the standard accounts and those given at startup. */
  reset(): void {
    this.#generation += 1
    this.#byDigest.clear()
    this.ledgerLog.clear()
    for (const { id, key, credits, rateLimit } of STANDARD_ACCOUNTS) {
      const rate = id === 'limited' ? (this.#defaults.limitedRate ?? rateLimit) : rateLimit
      this.#add(id, key, parseCredits(credits) ?? 0, rate)
    }
    for (const [index, options] of this.#initial.entries()) this.#addCreated(`account-${index + 1}`, options)
  }

  #addCreated(id: string, { key, startUnits, rateLimit = this.#defaults.createdRate }: CreateAccountOptions): Account {
    return this.#add(id, key ?? createKey(), startUnits, rateLimit)
  }

  #add(id: string, key: string, startUnits: number, rateLimit: RateLimit | undefined): Account {
    const limiters = rateLimit === undefined ? undefined : createAccountLimiters(rateLimit, this.#clock)
    const ledgerAccount = this.ledgerLog.addAccount(id)
    const account = {
      id,
      key,
      ledger: new Ledger(startUnits, { log: this.ledgerLog, account: ledgerAccount }),
      ledgerAccount,
      limiters,
    }
    this.#byDigest.set(this.#digestOf(key), account)
    return account
  }

  #digestOf(key: string): string {
    return hash('sha256', this.#salt + key, 'base64')
  }
}

function createKey(): string {
  return KEY_PREFIX + randomBytes(18).toString('base64url')
}
