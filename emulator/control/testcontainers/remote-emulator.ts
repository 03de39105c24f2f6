import type { ClientAuditReport } from '../../observability/client-audit/findings.ts'
import type { RequestLogEntry } from '../../observability/request-log/log-entry.ts'
import type { FaultState, FaultsHandle } from '../../scripting/faults/fault-injector.ts'
import type { FaultInput } from '../../scripting/faults/fault-rule.ts'
import type { EmulatorHandle, NewAccount } from '../../emulator-handle.ts'
import { fingerprintSecret } from '../../../common/secrets/fingerprint.ts'
import type { ClientIdentity } from '../../observability/client-identity.ts'
import type { RequestLogPage } from '../../observability/request-log/request-log.ts'
import { convertToJson } from '../../scripting/fixtures/fixture-json.ts'
import type { FixturesHandle, ListedFixture } from '../../scripting/fixtures/fixtures-handle.ts'
import { STANDARD_ACCOUNT_KEYS, STANDARD_ACCOUNTS } from '../../state/accounts.ts'
import { parseCredits } from '../../state/credits.ts'
import type { Balance } from '../../state/ledger.ts'
import { CONTROL_TOKEN_HEADER } from '../access-control.ts'

/** The methods of `Local`, each returning a promise. */
type Remote<Local> = {
  readonly [Name in keyof Local]: Local[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : Local[Name]
}

export type RemoteFault = Pick<FaultState, 'id' | 'rule' | 'enabled' | 'matched' | 'used'>

/** Methods that manage the fault rules of an emulator in another process. */
export interface RemoteFaults extends Record<keyof FaultsHandle, unknown> {
  /**
   * Appends a rule to the existing rules.
   * @throws Error if the rule is invalid
   */
  add(rule: FaultInput): Promise<RemoteFault>
  list(): Promise<readonly RemoteFault[]>
  /** Removes all rules, including those given at startup. */
  clear(): Promise<void>
}

/**
 * Methods of an emulator in another process; the same as those of an in-process emulator. Each method rejects with an
 * Error if the emulator is unreachable or returns an error.
 */
export interface RemoteHandle extends Remote<Omit<EmulatorHandle, 'faults' | 'fixtures'>> {
  readonly faults: RemoteFaults
  readonly fixtures: Remote<FixturesHandle>
}

/** Maximum number of entries per page of the request log. */
const MAX_PAGE_ENTRIES = 1000

interface FixtureList {
  readonly fixtures: readonly ListedFixture[]
}

interface ListedAccount {
  readonly id: string
  readonly credits: string
  readonly held: string
  readonly charged: string
  readonly added?: string
}

/**
 * Creates the handle of an emulator in another process.
 * @param getEndpoint called before each request, because a restarted container is reachable through a different port
 */
export function createRemoteHandle(getEndpoint: () => ControlEndpoint): RemoteHandle {
  // The control API returns full keys only when it creates an account.
  const idsByKey = new Map<string, string>(STANDARD_ACCOUNTS.map(({ id, key }) => [key, id]))
  // The type arguments below repeat the response types of `emulator/control/`.
  const call = async <Body>(method: string, path: string, body?: unknown) =>
    (await sendControlRequest(getEndpoint(), method, path, body)) as Body
  const auditClients = async (key?: string) => {
    const report = await call<ClientAuditReport>('GET', '/client-audit')
    return key === undefined ? report : selectClient(report, key, idsByKey.get(key) ?? null)
  }
  const readRequests = async (key?: string) => {
    const entries: RequestLogEntry[] = []
    for (let after: number | null = 0; after !== null;) {
      const page: RequestLogPage = await call('GET', `/request-log?limit=${MAX_PAGE_ENTRIES}&after=${after}`)
      entries.push(...page.entries)
      after = page.next
    }
    return key === undefined ? entries : entries.filter(createClientFilter(key, idsByKey.get(key) ?? null))
  }
  const findAccount = async (key: string) => {
    const { accounts } = await call<{ accounts: readonly ListedAccount[] }>('GET', '/accounts')
    return accounts.find(({ id }) => id === idsByKey.get(key))
  }
  const findAccountId = async (key: string) => {
    const account = await findAccount(key)
    if (account === undefined) throw new Error(`No account has the key ${fingerprintSecret(key)}.`)
    return account.id
  }
  const activeRequests = async () => (await call<{ inFlight: number }>('GET', '/health')).inFlight

  return {
    keys: STANDARD_ACCOUNT_KEYS,
    async createAccount({ rateLimit, ...fields }: NewAccount) {
      const body = { ...fields, ...rateLimit }
      const { id, key } = await call<{ id: string; key: string }>('POST', '/accounts', body)
      idsByKey.set(key, id)
      return { id, key }
    },
    async balance(key) {
      const account = await findAccount(key)
      return account === undefined ? undefined : parseBalance(account)
    },
    async addCredits(key, credits) {
      const path = `/accounts/${await findAccountId(key)}/credits`
      return parseBalance(await call<ListedAccount>('POST', path, { add: credits }))
    },
    async setCredits(key, credits) {
      return parseBalance(await call<ListedAccount>('PATCH', `/accounts/${await findAccountId(key)}`, { credits }))
    },
    requests: readRequests,
    setRequestLogLimits: (change) => call('PATCH', '/request-log', change),
    auditClients,
    activeRequests,
    faults: {
      async add(rule) {
        const { faults } = await call<{ faults: [RemoteFault] }>('POST', '/faults', { faults: [rule] })
        return faults[0]
      },
      list: async () => (await call<{ faults: readonly RemoteFault[] }>('GET', '/faults')).faults,
      clear: () => call('DELETE', '/faults'),
    },
    fixtures: {
      async add(given) {
        return (await call<FixtureList>('POST', '/fixtures', convertToJson(given))).fixtures
      },
      list: async () => (await call<FixtureList>('GET', '/fixtures')).fixtures,
      remove: async (id) => {
        const { fixtures } = await call<FixtureList>('GET', '/fixtures')
        if (!fixtures.some((one) => one.id === id)) return false
        await call('DELETE', `/fixtures/${id}`)
        return true
      },
      clear: () => call('DELETE', '/fixtures'),
    },
    reset: () => call('POST', '/reset'),
  }
}

function parseBalance({ credits, held, charged, added }: ListedAccount): Balance {
  const units = (text: string) => parseCredits(text) ?? Number.NaN
  const [availableUnits, heldUnits, chargedUnits] = [units(credits), units(held), units(charged)]
  const addedUnits = added === undefined ? 0 : added.startsWith('-') ? -units(added.slice(1)) : units(added)
  return {
    startUnits: availableUnits + heldUnits + chargedUnits - addedUnits,
    ...(added === undefined ? {} : { addedUnits }),
    availableUnits,
    heldUnits,
    chargedUnits,
  }
}

/**
 * Returns a function that selects the entries of one client.
 * @param id account id of the client. Null if no account has its key.
 */
function createClientFilter(key: string, id: string | null) {
  const fingerprint = fingerprintSecret(key)
  return ({ account, keyFingerprint }: ClientIdentity) => account === id && keyFingerprint === fingerprint
}

function selectClient({ clients }: ClientAuditReport, key: string, id: string | null): ClientAuditReport {
  const own = clients.filter(createClientFilter(key, id))
  return {
    clean: own.every(({ findings }) => findings.length === 0),
    requests: own.reduce((sum, { requests }) => sum + requests, 0),
    clients: own,
  }
}

export interface ControlEndpoint {
  /** Base URL, including `/__emulator`. */
  readonly url: string
  /** Control token. Undefined if the emulator was started without one. */
  readonly token?: string | undefined
}

/**
 * Timeout of a request to the control API. It is independent of the simulated latency, which does not affect the
 * control API.
 */
const REQUEST_TIMEOUT_MS = 20_000

/**
 * Sends a request to the control API.
 * @param path path after `/__emulator`, for example `/accounts`
 * @returns the parsed JSON body, or undefined if the body is empty
 * @throws Error if the emulator is unreachable or returns an error
 */
export async function sendControlRequest(
  endpoint: ControlEndpoint,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const { url, token } = endpoint
  const response = await fetch(url + path, {
    method,
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    headers: {
      ...(token === undefined ? {} : { [CONTROL_TOKEN_HEADER]: token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Error(`Cannot reach the emulator at ${url}. It may have been stopped.`, { cause })
  })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`The emulator rejected ${method} ${path} (${response.status}): ${extractErrorMessage(text)}`)
  return text === '' ? undefined : JSON.parse(text)
}

/**
 * Extracts the message of an error response `{"error": "<sentence>"}`. Returns the first 200 characters of any other
 * body, for example one that a proxy sent.
 */
function extractErrorMessage(text: string): string {
  try {
    const { error }: { error?: unknown } = Object(JSON.parse(text))
    if (typeof error === 'string') return error
  } catch {
    // The body is not JSON.
  }
  return text.slice(0, 200)
}
