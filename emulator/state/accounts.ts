import { hash, randomBytes } from 'node:crypto'
import { KEY_PREFIX } from '../../contract/facts.ts'
import type { Clock } from './clock.ts'
import { unitsFromCredits } from './credits.ts'
import { LedgerLog, type LedgerAccount } from './ledger-log.ts'
import { Ledger } from './ledger.ts'
import { createAccountLimiters, type AccountLimiters } from './limits/account-limiters.ts'
import type { RateLimit } from './limits/rate-limit.ts'

/** A prepaid account with its one key. */
export interface Account {
  readonly id: string
  readonly key: string
  readonly ledger: Ledger
  /** What happened to its credits. */
  readonly ledgerAccount: LedgerAccount
  /** Absent: no rate limit. */
  readonly limiters: AccountLimiters | undefined
}

/** What an account starts with. */
export interface AccountOptions {
  readonly startUnits: number
  /** Absent: that of created accounts, where there is one. */
  readonly rateLimit?: RateLimit
}

/** Rate limits that are set for more than one account. */
export interface RateLimitDefaults {
  /** Of the standard account `limited`. Default: 60 requests a minute, 5 at once. */
  readonly limitedRate?: RateLimit
  /** Of created accounts that name none. Default: none. */
  readonly createdRate?: RateLimit
}

/** Public keys of the accounts that are always there, by role. */
export const STANDARD_KEYS = {
  funded: `${KEY_PREFIX}touchstone-funded`,
  empty: `${KEY_PREFIX}touchstone-empty`,
  small: `${KEY_PREFIX}touchstone-small`,
  limited: `${KEY_PREFIX}touchstone-limited`,
} as const

const STANDARD_ACCOUNTS: Record<keyof typeof STANDARD_KEYS, { credits: string; rateLimit?: RateLimit }> = {
  funded: { credits: '1000000000' },
  empty: { credits: '0' },
  small: { credits: '1' },
  limited: { credits: '1000000000', rateLimit: { requestsPerMinute: 60, burst: 5 } },
}

/** Most accounts that can exist at once: a loop that creates them cannot eat the machine. */
export const MAX_ACCOUNTS = 100_000

/** All accounts, found by key (section 5, rules 2 to 5). */
export class Accounts {
  /** What happened to the credits of all of them. */
  readonly ledgerLog: LedgerLog
  readonly #clock: Clock
  readonly #defaults: RateLimitDefaults
  /**
   * By the digest of the key, salted anew by each process: how long a wrong key takes to be told wrong says nothing of how much
   * of it was right, as it would where keys were compared character by character.
   */
  readonly #byDigest = new Map<string, Account>()
  readonly #salt = randomBytes(16).toString('base64')
  #created = 0
  #generation = 0

  constructor(clock: Clock, defaults: RateLimitDefaults = {}) {
    this.#clock = clock
    this.ledgerLog = new LedgerLog(() => clock.unixMs())
    this.#defaults = defaults
    this.reset()
  }

  /** Changes when accounts are replaced: what was found before is none of them any more. */
  get generation(): number {
    return this.#generation
  }

  findByKey(key: string): Account | undefined {
    return this.#byDigest.get(this.#digestOf(key))
  }

  all(): readonly Account[] {
    return [...this.#byDigest.values()]
  }

  /** A new account with a key that nobody else has. @returns undefined when there are MOST_ACCOUNTS already */
  create(terms: AccountOptions): Account | undefined {
    if (this.#byDigest.size >= MAX_ACCOUNTS) return undefined
    this.#created += 1
    const rateLimit = terms.rateLimit ?? this.#defaults.createdRate
    const key = KEY_PREFIX + randomBytes(18).toString('base64url')
    return this.#add(`account-${this.#created}`, key, terms.startUnits, rateLimit)
  }

  /** Forgets created accounts and gives the standard ones their first balance and their whole limit again. */
  reset(): void {
    this.#generation += 1
    this.#byDigest.clear()
    this.ledgerLog.clear()
    for (const role of ['funded', 'empty', 'small', 'limited'] as const) {
      const { credits, rateLimit } = STANDARD_ACCOUNTS[role]
      const rate = role === 'limited' ? (this.#defaults.limitedRate ?? rateLimit) : rateLimit
      this.#add(role, STANDARD_KEYS[role], unitsFromCredits(credits) ?? 0, rate)
    }
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
