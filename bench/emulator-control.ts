import { UNITS_PER_CREDIT } from '../contract/facts.ts'

export interface LedgerTotals {
  readonly holds: boolean
  readonly accounts: number
  readonly openHolds: number
  /** Charged units, keyed by account ID. */
  readonly chargedUnits: Readonly<Record<string, number>>
  readonly wrong: readonly string[]
}

interface Audit {
  readonly id: string
  readonly holds: boolean
  readonly faults: readonly string[]
  readonly openHolds: number
  readonly charged: string
}

const IDLE_LIMIT_MS = 30_000

async function control<Result>(url: string, path: string, body?: object): Promise<Result> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/__emulator${path}`, {
    ...(body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(IDLE_LIMIT_MS),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Result // The cast is safe: the control API documents this shape.
}

/** Creates an account with an initial balance of `credits`, through the emulator's control API. */
export function createAccount(url: string, credits: string): Promise<{ readonly id: string; readonly key: string }> {
  return control(url, '/accounts', { credits })
}

/**
 * Polls the control API until no request is in flight.
 * @throws Error if a request is still in flight at the deadline
 */
export async function waitUntilIdle(url: string): Promise<void> {
  const limitMs = performance.now() + IDLE_LIMIT_MS
  for (;;) {
    const { inFlight } = await control<{ inFlight: number }>(url, '/health')
    if (inFlight === 0) return
    if (performance.now() > limitMs) throw new Error(`${inFlight} requests are still under way, and no client is left`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Reads the totals of the ledger. `wrong` describes inconsistent accounts and open holds. */
export async function readLedger(url: string): Promise<LedgerTotals> {
  const { holds, accounts } = await control<{ holds: boolean; accounts: readonly Audit[] }>(url, '/invariant')
  const openHolds = accounts.reduce((sum, account) => sum + account.openHolds, 0)
  const wrong = [
    ...accounts.flatMap(({ id, faults }) => faults.map((fault) => `account ${id}: ${fault}`)),
    ...(holds ? [] : ['the ledger does not hold']),
    ...(openHolds === 0 ? [] : [`${openHolds} holds are open without a request in flight`]),
  ]
  const units = accounts.map(({ id, charged }) => [id, Math.round(Number(charged) * UNITS_PER_CREDIT)] as const)
  return { holds, accounts: accounts.length, openHolds, chargedUnits: Object.fromEntries(units), wrong }
}
