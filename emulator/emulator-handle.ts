import type { EmulatorInstance } from './core/pipeline.ts'
import type { ClientAuditReport } from './observability/client-audit/findings.ts'
import { resetInstance } from './instance.ts'
import { findClient } from './observability/client-identity.ts'
import { createFaultsHandle, type FaultsHandle } from './scripting/faults/fault-injector.ts'
import { MAX_ACCOUNTS, STANDARD_KEYS } from './state/accounts.ts'
import { unitsFromCredits } from './state/credits.ts'
import type { Balance } from './state/ledger.ts'
import { parseRateLimit, type RateLimit } from './state/limits/rate-limit.ts'

/** What `createAccount` takes. */
export interface NewAccount {
  /** Decimal string with at most four fraction digits, e.g. `12.5`. */
  readonly credits: string
  readonly rateLimit?: RateLimit
}

/** What the process that an emulator runs in can do with it, whether it has a socket or not. */
export interface Handle {
  /** Keys of the standard accounts: inexhaustible, without credits, with one credit, with a tight rate limit. */
  readonly keys: typeof STANDARD_KEYS
  /** A fresh account that nobody else uses. @throws when `credits` is not such a decimal string, or the rate limit cannot be */
  createAccount(terms: NewAccount): { readonly id: string; readonly key: string }
  /** The sums of the account with this key, in units of 0.0001 credit; undefined when there is none. */
  balance(key: string): Balance | undefined
  /** The verdict on the client that uses this key, or on all clients. */
  conduct(key?: string): ClientAuditReport
  /** How many requests are being answered now. */
  requestsUnderWay(): number
  /** Failures to put on requests. */
  readonly faults: FaultsHandle
  /**
   * Forgets created accounts, added faults and all that was recorded; the standard accounts have their first balance again.
   */
  reset(): void
}

/** The handle of an emulator. */
export function createHandle(instance: EmulatorInstance): Handle {
  return {
    keys: STANDARD_KEYS,
    createAccount: (terms) => createAccount(instance, terms),
    balance: (key) => instance.accounts.findByKey(key)?.ledger.balance(),
    conduct: (key) => auditClients(instance, key),
    requestsUnderWay: () => instance.load.inFlight,
    faults: createFaultsHandle(instance.faults),
    reset: () => resetInstance(instance),
  }
}

function auditClients({ records, accounts, scheduler }: EmulatorInstance, key: string | undefined): ClientAuditReport {
  scheduler.flushDeferred()
  if (key === undefined) return records.conduct.report()
  const asked = findClient(key, accounts)
  return records.conduct.report(({ account, keySuffix }) => account === asked.account && keySuffix === asked.keySuffix)
}

function createAccount(
  { accounts }: EmulatorInstance,
  { credits, rateLimit }: NewAccount,
): { id: string; key: string } {
  const startUnits = unitsFromCredits(credits)
  if (startUnits === undefined) throw new Error(`'${credits}' is no decimal string of credits such as '12.5'`)
  const fault = rateLimit === undefined ? undefined : parseRateLimit(rateLimit)
  if (typeof fault === 'string') throw new Error(fault)
  const account = accounts.create(rateLimit === undefined ? { startUnits } : { startUnits, rateLimit })
  if (account === undefined) throw new Error(`there are ${MAX_ACCOUNTS} accounts already`)
  return { id: account.id, key: account.key }
}
