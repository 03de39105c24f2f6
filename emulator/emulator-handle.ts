import type { EmulatorInstance } from './instance.ts'
import type { ClientAuditReport } from './observability/client-audit/findings.ts'
import type { RequestLogEntry } from './observability/request-log/log-entry.ts'
import type { RequestLogChange, RequestLogLimits } from './observability/request-log/request-log.ts'
import { parseRequestLogChange } from './options/parse-request-log-limits.ts'
import { resetInstance } from './instance.ts'
import { fingerprintSecret } from '../common/secrets/fingerprint.ts'
import { type ClientIdentity, identifyClientByKey } from './observability/client-identity.ts'
import { createFaultsHandle, type FaultsHandle } from './scripting/faults/fault-injector.ts'
import { createFixturesHandle, type FixturesHandle } from './scripting/fixtures/fixtures-handle.ts'
import { describeAccountCreationError, STANDARD_ACCOUNT_KEYS } from './state/accounts.ts'
import { MAX_CREDITS, parseCredits } from './state/credits.ts'
import type { Balance } from './state/ledger.ts'
import { parseNewAccount, type NewAccount } from './state/parse-new-account.ts'

export type { RequestLogEntry } from './observability/request-log/log-entry.ts'
export type { NewAccount } from './state/parse-new-account.ts'

/** Options that connect an SDK to an emulator. */
export interface ClientOptions {
  /** Base URL of the API, including `/v1`. */
  readonly baseURL: string
  readonly apiKey: string
  /** Replacement for the global `fetch`. Present only if the emulator has no port. */
  readonly fetch?: typeof globalThis.fetch
}

/** Methods of an emulator in the same process, with or without a socket. */
export interface EmulatorHandle {
  /** API keys of the standard accounts: practically unlimited credits, no credits, one credit, and a low rate limit. */
  readonly keys: typeof STANDARD_ACCOUNT_KEYS
  /**
   * Creates an account. Generates a key if none is given.
   * @throws Error if `credits`, the key or the rate limit is invalid, if another account has the key, or if the
   * emulator already has the maximum number of accounts
   */
  createAccount(options: NewAccount): { readonly id: string; readonly key: string }
  /**
   * Returns the balance of the account with this key, in units of 0.0001 credit, or undefined if no account has the
   * key.
   */
  balance(key: string): Balance | undefined
  /**
   * Adds credits to the account with this key.
   * @param credits decimal string
   * @throws Error if no account has the key, or if the amount is invalid
   */
  addCredits(key: string, credits: string): Balance
  /**
   * Sets the available credits of the account with this key. Credits on hold for requests in progress do not change.
   * @throws Error if no account has the key, or if the amount is invalid
   */
  setCredits(key: string, credits: string): Balance
  /**
   * Returns the request log of one API key, or of all clients if no key is given. The request that ended first is the
   * first entry. Entries contain the bodies of their requests and responses if the option `requestLog` keeps bodies.
   */
  requests(key?: string): readonly RequestLogEntry[]
  /**
   * Changes the number of bytes that the request log keeps of each body, or whether it keeps digests, until the next reset.
   * The limits apply to requests that arrive later.
   * @returns all limits of the request log
   * @throws Error if a limit is invalid
   */
  setRequestLogLimits(change: RequestLogChange): RequestLogLimits
  /** Returns the client audit report of one API key, or of all clients if no key is given. */
  auditClients(key?: string): ClientAuditReport
  /** Returns the number of requests in progress. */
  activeRequests(): number
  /** Methods to add, list and remove fault rules. */
  readonly faults: FaultsHandle
  /** Methods to add, list and remove scripted responses. */
  readonly fixtures: FixturesHandle
  /** Removes created accounts, added faults, added fixtures and all records. Restores the standard accounts. */
  reset(): void
}

/** Creates the handle through which a program controls the emulator. */
export function createHandle(instance: EmulatorInstance): EmulatorHandle {
  return {
    keys: STANDARD_ACCOUNT_KEYS,
    createAccount: (options) => createAccount(instance, options),
    balance: (key) => instance.accounts.findByKey(key)?.ledger.balance(),
    addCredits: (key, credits) => adjustCredits(instance, key, credits, (units) => units),
    setCredits: (key, credits) => adjustCredits(instance, key, credits, (units, available) => units - available),
    requests: (key) => readRequests(instance, key),
    setRequestLogLimits: (change) => setRequestLogLimits(instance, change),
    auditClients: (key) => auditClients(instance, key),
    activeRequests: () => instance.load.inFlight,
    faults: createFaultsHandle(instance.faults),
    fixtures: createFixturesHandle(instance.scripts.fixtures),
    reset: () => resetInstance(instance),
  }
}

function readRequests({ observer, accounts, scheduler }: EmulatorInstance, key: string | undefined) {
  scheduler.flushDeferred()
  const { entries } = observer.requestLog.read({ after: 0, limit: Infinity, fromEnd: false })
  return key === undefined ? entries : entries.filter(createClientFilter(identifyClientByKey(key, accounts)))
}

function setRequestLogLimits({ observer }: EmulatorInstance, change: RequestLogChange): RequestLogLimits {
  const parsed = parseRequestLogChange(change)
  if (typeof parsed === 'string') throw new Error(parsed)
  return observer.requestLog.setLimits(parsed)
}

function createClientFilter(client: ClientIdentity): (entry: ClientIdentity) => boolean {
  return ({ account, keyFingerprint }) => account === client.account && keyFingerprint === client.keyFingerprint
}

function auditClients({ observer, accounts, scheduler }: EmulatorInstance, key: string | undefined): ClientAuditReport {
  scheduler.flushDeferred()
  if (key === undefined) return observer.clientAudit.report()
  return observer.clientAudit.report(createClientFilter(identifyClientByKey(key, accounts)))
}

function createAccount({ accounts }: EmulatorInstance, options: NewAccount): { id: string; key: string } {
  const { credits } = options
  if (parseCredits(credits) === undefined)
    throw new Error(`'${credits}' is not a decimal string of credits such as '12.5'`)
  const parsed = parseNewAccount(options)
  if (typeof parsed === 'string') throw new Error(parsed)
  const account = accounts.create(parsed)
  if (typeof account === 'string') throw new Error(describeAccountCreationError(account))
  return { id: account.id, key: account.key }
}

/**
 * Changes the available credits of an account.
 * @param change returns the units to add, given the available units
 */
function adjustCredits(
  { accounts }: EmulatorInstance,
  key: string,
  credits: string,
  change: (units: number, availableUnits: number) => number,
): Balance {
  const units = parseCredits(credits)
  if (units === undefined) throw new Error(`'${credits}' is not a decimal string of credits such as '12.5'`)
  const ledger = accounts.findByKey(key)?.ledger
  if (ledger === undefined) throw new Error(`No account has the key ${fingerprintSecret(key)}.`)
  if (!ledger.adjust(change(units, ledger.balance().availableUnits)))
    throw new Error(`An account can have at most ${MAX_CREDITS} credits.`)
  return ledger.balance()
}
