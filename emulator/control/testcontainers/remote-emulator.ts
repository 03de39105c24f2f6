import type { ClientAuditReport } from '../../observability/client-audit/findings.ts'
import type { FaultState, FaultsHandle, FaultInput } from '../../scripting/faults/fault-injector.ts'
import type { Handle, NewAccount } from '../../emulator-handle.ts'
import { keySuffixOf } from '../../observability/client-identity.ts'
import { STANDARD_KEYS } from '../../state/accounts.ts'
import { unitsFromCredits } from '../../state/credits.ts'
import type { Balance } from '../../state/ledger.ts'
import { TOKEN_HEADER } from '../access-control.ts'

/** The same, where every answer has to be waited for. */
type Remote<Local> = {
  readonly [Name in keyof Local]: Local[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : Local[Name]
}

/** A failure that was added, and its use so far. */
export type RemoteFault = Pick<FaultState, 'id' | 'rule' | 'enabled' | 'matched' | 'used'>

/** The failures of an emulator elsewhere. */
export interface RemoteFaults extends Record<keyof FaultsHandle, unknown> {
  /** Adds a rule after those that are there. @throws Error with one sentence when it cannot be read */
  add(rule: FaultInput): Promise<RemoteFault>
  list(): Promise<readonly RemoteFault[]>
  /** Takes all away, those of the start too. */
  clear(): Promise<void>
}

/**
 * What can be done with an emulator in this process, done with one elsewhere by its control interface. Whatever is asked is
 * rejected with one sentence when the emulator is out of reach or refuses it.
 */
export interface RemoteHandle extends Remote<Omit<Handle, 'faults'>> {
  readonly faults: RemoteFaults
}

interface ListedAccount {
  readonly id: string
  readonly credits: string
  readonly held: string
  readonly charged: string
}

/** The handle of an emulator elsewhere. `place` is asked each time: a container that is started again has another port. */
export function createRemoteHandle(place: () => ControlEndpoint): RemoteHandle {
  // Of other accounts only the end of the key is ever told.
  const idsByKey = new Map<string, string>(Object.entries(STANDARD_KEYS).map(([id, key]) => [key, id]))
  // Each answer has the shape that emulator/control gives it.
  const ask = async <Answer>(method: string, path: string, body?: unknown) =>
    (await requestControl(place(), method, path, body)) as Answer

  return {
    keys: STANDARD_KEYS,
    async createAccount({ credits, rateLimit }: NewAccount) {
      const body = { credits, ...rateLimit }
      const { id, key } = await ask<{ id: string; key: string }>('POST', '/accounts', body)
      idsByKey.set(key, id)
      return { id, key }
    },
    async balance(key) {
      const { accounts } = await ask<{ accounts: readonly ListedAccount[] }>('GET', '/accounts')
      const account = accounts.find(({ id }) => id === idsByKey.get(key))
      return account === undefined ? undefined : parseBalance(account)
    },
    async conduct(key) {
      const conduct = await ask<ClientAuditReport>('GET', '/conduct')
      return key === undefined ? conduct : selectClient(conduct, key, idsByKey.get(key) ?? null)
    },
    requestsUnderWay: async () => (await ask<{ inFlight: number }>('GET', '/health')).inFlight,
    faults: {
      async add(rule) {
        const { faults } = await ask<{ faults: [RemoteFault] }>('POST', '/faults', { faults: [rule] })
        return faults[0]
      },
      list: async () => (await ask<{ faults: readonly RemoteFault[] }>('GET', '/faults')).faults,
      clear: () => ask('DELETE', '/faults'),
    },
    reset: () => ask('POST', '/reset'),
  }
}

function parseBalance({ credits, held, charged }: ListedAccount): Balance {
  const units = (text: string) => unitsFromCredits(text) ?? Number.NaN
  const [availableUnits, heldUnits, chargedUnits] = [units(credits), units(held), units(charged)]
  return { startUnits: availableUnits + heldUnits + chargedUnits, availableUnits, heldUnits, chargedUnits }
}

function selectClient({ clients }: ClientAuditReport, key: string, id: string | null): ClientAuditReport {
  const own = clients.filter(({ account, keySuffix }) => account === id && keySuffix === keySuffixOf(key))
  return {
    clean: own.every(({ findings }) => findings.length === 0),
    requests: own.reduce((sum, { requests }) => sum + requests, 0),
    clients: own,
  }
}

/** Where the control interface of an emulator is reached. */
export interface ControlEndpoint {
  /** Up to and with `/__emulator`. */
  readonly url: string
  /** Opens it where the emulator was started with one. */
  readonly token?: string | undefined
}

/** It answers at once, whatever the latency of the emulator is: longer means that nothing will come. */
const TIME_LIMIT_MS = 20_000

/**
 * Asks the control interface of an emulator.
 * @param path what follows `/__emulator`, e.g. `/accounts`
 * @returns the JSON that it answers; undefined where there is none
 * @throws Error with one sentence when nothing answers, or the answer is a refusal
 */
export async function requestControl(
  place: ControlEndpoint,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const { url, token } = place
  const response = await fetch(url + path, {
    method,
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
    headers: {
      ...(token === undefined ? {} : { [TOKEN_HEADER]: token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Error(`Nothing answered at ${url}. Has the emulator been stopped?`, { cause })
  })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`The emulator refused ${method} ${path} (${response.status}): ${extractReason(text)}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** The control interface puts a refusal into words: `{"error": "<sentence>"}`. What stands between may answer otherwise. */
function extractReason(text: string): string {
  try {
    const { error }: { error?: unknown } = Object(JSON.parse(text))
    if (typeof error === 'string') return error
  } catch {
    // Shown as it is.
  }
  return text.slice(0, 200)
}
