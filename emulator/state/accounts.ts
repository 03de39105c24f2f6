import { hash, randomBytes } from 'node:crypto'
import { KEY_PREFIX } from '../../contract/facts.ts'
import type { Clock } from './clock.ts'
import { unitsFromCredits } from './credits.ts'
import { Book, type Page } from './ledger-log.ts'
import { Ledger } from './ledger.ts'
import { createLimiter, type Limiter } from './limits/limiter.ts'
import type { RateLimit } from './limits/rate-limit.ts'

/** A prepaid account with its one key. */
export interface Account {
  readonly id: string
  readonly key: string
  readonly ledger: Ledger
  /** What happened to its credits. */
  readonly page: Page
  /** Absent: no rate limit. */
  readonly limiter: Limiter | undefined
}

/** What an account starts with. */
export interface AccountTerms {
  readonly startUnits: number
  /** Absent: that of created accounts, where there is one. */
  readonly rateLimit?: RateLimit
}

/** Rate limits that are set for more than one account. */
export interface AccountDefaults {
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

const STANDARD_TERMS: Record<keyof typeof STANDARD_KEYS, { credits: string; rateLimit?: RateLimit }> = {
  funded: { credits: '1000000000' },
  empty: { credits: '0' },
  small: { credits: '1' },
  limited: { credits: '1000000000', rateLimit: { requestsPerMinute: 60, burst: 5 } },
}

/** Most accounts that can exist at once: a loop that creates them cannot eat the machine. */
export const MOST_ACCOUNTS = 100_000

/** All accounts, found by key (section 5, rules 2 to 5). */
export class Accounts {
  /** What happened to the credits of all of them. */
  readonly book: Book
  readonly #clock: Clock
  readonly #defaults: AccountDefaults
  /**
   * By the digest of the key, salted anew by each process: how long a wrong key takes to be told wrong says nothing of how much
   * of it was right, as it would where keys were compared character by character.
   */
  readonly #byDigest = new Map<string, Account>()
  readonly #salt = randomBytes(16).toString('base64')
  #created = 0
  #era = 0

  constructor(clock: Clock, defaults: AccountDefaults = {}) {
    this.#clock = clock
    this.book = new Book(() => clock.unixMs())
    this.#defaults = defaults
    this.reset()
  }

  /** Changes when accounts are replaced: what was found before is none of them any more. */
  get era(): number {
    return this.#era
  }

  findByKey(key: string): Account | undefined {
    return this.#byDigest.get(this.#digestOf(key))
  }

  all(): readonly Account[] {
    return [...this.#byDigest.values()]
  }

  /** A new account with a key that nobody else has. @returns undefined when there are MOST_ACCOUNTS already */
  create(terms: AccountTerms): Account | undefined {
    if (this.#byDigest.size >= MOST_ACCOUNTS) return undefined
    this.#created += 1
    const rateLimit = terms.rateLimit ?? this.#defaults.createdRate
    const key = KEY_PREFIX + randomBytes(18).toString('base64url')
    return this.#add(`account-${this.#created}`, key, terms.startUnits, rateLimit)
  }

  /** Forgets created accounts and gives the standard ones their first balance and their whole limit again. */
  reset(): void {
    this.#era += 1
    this.#byDigest.clear()
    this.book.clear()
    for (const role of ['funded', 'empty', 'small', 'limited'] as const) {
      const { credits, rateLimit } = STANDARD_TERMS[role]
      const rate = role === 'limited' ? (this.#defaults.limitedRate ?? rateLimit) : rateLimit
      this.#add(role, STANDARD_KEYS[role], unitsFromCredits(credits) ?? 0, rate)
    }
  }

  #add(id: string, key: string, startUnits: number, rateLimit: RateLimit | undefined): Account {
    const limiter = rateLimit === undefined ? undefined : createLimiter(rateLimit, this.#clock)
    const page = this.book.open(id)
    const account = { id, key, ledger: new Ledger(startUnits, { book: this.book, page }), page, limiter }
    this.#byDigest.set(this.#digestOf(key), account)
    return account
  }

  #digestOf(key: string): string {
    return hash('sha256', this.#salt + key, 'base64')
  }
}
