import { randomBytes } from 'node:crypto'
import { KEY_PREFIX } from '../../contract/facts.ts'
import type { Clock } from './clock.ts'
import { unitsFromCredits } from './credits.ts'
import { Ledger } from './ledger.ts'
import { TokenBucket, type RateLimit } from './token-bucket.ts'

/** A prepaid account with its one key. */
export interface Account {
  readonly id: string
  readonly key: string
  readonly ledger: Ledger
  /** Absent: no rate limit. */
  readonly bucket: TokenBucket | undefined
}

/** What an account starts with. */
export interface AccountTerms {
  readonly startUnits: number
  readonly rateLimit?: RateLimit
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
  readonly #clock: Clock
  readonly #byKey = new Map<string, Account>()
  #created = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.reset()
  }

  findByKey(key: string): Account | undefined {
    return this.#byKey.get(key)
  }

  all(): readonly Account[] {
    return [...this.#byKey.values()]
  }

  /** A new account with a key that nobody else has. @returns undefined when there are MOST_ACCOUNTS already */
  create(terms: AccountTerms): Account | undefined {
    if (this.#byKey.size >= MOST_ACCOUNTS) return undefined
    this.#created += 1
    return this.#add(`account-${this.#created}`, KEY_PREFIX + randomBytes(18).toString('base64url'), terms)
  }

  /** Forgets created accounts and gives the standard ones their first balance and a full bucket again. */
  reset(): void {
    this.#byKey.clear()
    for (const role of ['funded', 'empty', 'small', 'limited'] as const) {
      const { credits, rateLimit } = STANDARD_TERMS[role]
      const startUnits = unitsFromCredits(credits) ?? 0
      this.#add(role, STANDARD_KEYS[role], rateLimit === undefined ? { startUnits } : { startUnits, rateLimit })
    }
  }

  #add(id: string, key: string, terms: AccountTerms): Account {
    const bucket = terms.rateLimit === undefined ? undefined : new TokenBucket(this.#clock, terms.rateLimit)
    const account = { id, key, ledger: new Ledger(terms.startUnits), bucket }
    this.#byKey.set(key, account)
    return account
  }
}
