import type { AddressInfo } from 'node:net'
import type { World } from './answer.ts'
import { DEFAULT_DECISIONS, type Decisions } from './decisions/decisions.ts'
import { createServer } from './http/create-server.ts'
import { DEFAULT_SETTINGS, type Settings } from './settings.ts'
import { Accounts, MOST_ACCOUNTS, STANDARD_KEYS } from './state/accounts.ts'
import { frozenClock, realClock, type Clock } from './state/clock.ts'
import { unitsFromCredits } from './state/credits.ts'
import type { Balance } from './state/ledger.ts'
import { Ordinals } from './state/ordinals.ts'
import type { RateLimit } from './state/token-bucket.ts'
import { Scheduler } from './timing/scheduler.ts'
import { TimingRecord } from './timing/timing-record.ts'

export type { Decisions } from './decisions/decisions.ts'
export { OPTION_READERS, readOptions } from './read-options.ts'
export type { LatencyProfile } from './timing/latency.ts'

/** Everything is optional. */
export interface EmulatorOptions extends Partial<Omit<Settings, 'decisions'>> {
  /** What to do where the document is silent, by id: see decisions.md. Default: as listed there. */
  readonly decisions?: Partial<Decisions>
  /** Default: 127.0.0.1, so that nobody else can reach it. */
  readonly host?: string
  /** Default: 0, any free port. */
  readonly port?: number
  /** Stands for `created` in every answer, which are then identical to the byte. Default: the present time. */
  readonly frozenAtUnixSeconds?: number
  /** For tests of what takes long. Default: the machine's clock. */
  readonly clock?: Clock
}

/** What `createAccount` takes. */
export interface NewAccount {
  /** Decimal string with at most four fraction digits, e.g. `12.5`. */
  readonly credits: string
  readonly rateLimit?: RateLimit
}

/** A running emulator. */
export interface Emulator {
  /** Base address without `/v1`, e.g. `http://127.0.0.1:41873`. */
  readonly url: string
  readonly port: number
  /** Keys of the standard accounts: inexhaustible, without credits, with one credit, with a tight rate limit. */
  readonly keys: typeof STANDARD_KEYS
  /** A fresh account that nobody else uses. @throws when `credits` is not such a decimal string */
  createAccount(terms: NewAccount): { readonly id: string; readonly key: string }
  /** The sums of the account with this key, in units of 0.0001 credit; undefined when there is none. */
  balance(key: string): Balance | undefined
  /** Stops taking connections and resolves when the answers under way are sent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts an emulator in this process.
 * @throws an error with code EADDRINUSE when the port is taken, EACCES when it is not allowed
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { host = '127.0.0.1', port = 0, frozenAtUnixSeconds, clock: given, decisions, ...settings } = options
  const clock = given ?? (frozenAtUnixSeconds === undefined ? realClock() : frozenClock(frozenAtUnixSeconds))
  const accounts = new Accounts(clock)
  const world: World = {
    settings: { ...DEFAULT_SETTINGS, ...settings, decisions: { ...DEFAULT_DECISIONS, ...decisions } },
    clock,
    accounts,
    ordinals: new Ordinals(),
    scheduler: new Scheduler(clock),
    timings: new TimingRecord(),
    traffic: { inFlight: 0, received: 0 },
  }
  const server = createServer(world)
  await server.listen({ host, port })
  const address = server.server.address() as AddressInfo // a string only for a listener on a pipe
  const close = () => server.close()
  return {
    url: `http://${urlHost(host)}:${address.port}`,
    port: address.port,
    keys: STANDARD_KEYS,
    createAccount: (terms) => createAccount(accounts, terms),
    balance: (key) => accounts.findByKey(key)?.ledger.balance(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function createAccount(accounts: Accounts, { credits, rateLimit }: NewAccount): { id: string; key: string } {
  const startUnits = unitsFromCredits(credits)
  if (startUnits === undefined) throw new Error(`'${credits}' is no decimal string of credits such as '12.5'`)
  const account = accounts.create(rateLimit === undefined ? { startUnits } : { startUnits, rateLimit })
  if (account === undefined) throw new Error(`there are ${MOST_ACCOUNTS} accounts already`)
  return { id: account.id, key: account.key }
}

/** The host as a client on this machine would write it in a URL. */
function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
