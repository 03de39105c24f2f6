import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { MODELS, UNITS_PER_CREDIT } from '../../../contract/facts.ts'
import { createSeededRandom } from '../../../emulator/state/seeded-random.ts'
import { runClient, type ClientKeys } from './clients.ts'
import type { SoakQuery, SoakReady, SoakState } from './server.ts'

/** Number of clients before the first memory sample, so that V8 has compiled the code. */
const WARM_UP_CLIENTS = 1000
const WARM_UP_CONCURRENCY = 100
const CLIENTS_PER_SECOND = 60
/** Maximum number of concurrent clients. If the emulator is too slow for the rate, clients above this number are skipped. */
const MAX_CONCURRENT_CLIENTS = 500
const SAMPLES = 360
const MIN_SAMPLE_INTERVAL_MS = 250
/** Initial credits of the small account. A new account replaces it every 10 seconds. */
const SMALL_CREDITS = '0.6'
const SMALL_ACCOUNT_LIFETIME_MS = 10_000
const MAX_IDLE_WAIT_MS = 30_000
/** Maximum time until the process exits after the emulator and the message channel are closed. */
const MAX_EXIT_MS = 10_000
const UNITS_PER_TOKEN = Math.round(Number(MODELS[0].creditsPerToken) * UNITS_PER_CREDIT)

/** Runs the emulator under load for some seconds. Clients of all kinds start at a steady rate. */
export async function runSoak(seconds: number) {
  const child = fork(new URL('./server.ts', import.meta.url), {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const nextMessage = async (): Promise<unknown> => {
    const exited = ended.then(([code]) => {
      throw new Error(`the emulator's process ended with ${code}`)
    })
    const [message] = await Promise.race([once(child, 'message'), exited])
    return message
  }
  const query = async (type: SoakQuery) => {
    child.send(type)
    return (await nextMessage()) as SoakState // The cast is safe: all messages after the first have this type.
  }
  const server = (await nextMessage()) as SoakReady // The cast is safe: the first message has this type.
  const warmUp = new SoakLoad(server)
  await warmUp.createAccounts()
  await warmUp.runAll(WARM_UP_CLIENTS)
  const before = await query('collected')
  const load = new SoakLoad(server)
  await load.createAccounts()
  const samplesMb = await load.runFor(seconds, async () => (await query('memory')).rssMb)
  // The cast is safe: the control API documents this shape.
  const { accounts } = (await control(server.url, '/invariant')) as { accounts: readonly Audit[] }
  const after = await query('collected')
  const closed = await query('close')
  child.disconnect()
  const tooLong = setTimeout(() => child.kill('SIGKILL'), MAX_EXIT_MS)
  const [exitCode] = (await ended) as [number | null] // The cast is safe: this is the first argument of the event.
  clearTimeout(tooLong)
  return {
    wrong: [...warmUp.wrong, ...load.wrong],
    clients: load.clients,
    outcomes: load.outcomes,
    inconsistent: accounts.filter(({ holds, openHolds }) => !holds || openHolds > 0),
    clientUnits: load.countedTokens * UNITS_PER_TOKEN,
    ledgerUnits: Math.round(Number(accounts.find(({ id }) => id === load.countedId)?.charged) * UNITS_PER_CREDIT),
    growthMb: fitGrowth(samplesMb),
    heapGrowthMb: after.heapUsedMb - before.heapUsedMb,
    resourcesAfterClose: closed.resources,
    unhandled: closed.unhandled,
    /** Null if the process had to be killed. */
    exitCode,
  }
}

interface Audit {
  readonly id: string
  readonly holds: boolean
  readonly openHolds: number
  readonly charged: string
}

async function control(url: string, path: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${url}/__emulator${path}`, init)
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

class SoakLoad {
  /** Descriptions of unexpected responses. */
  readonly wrong: string[] = []
  readonly clients: Record<string, number> = {}
  /** Number of responses, keyed by status and end, such as `200 complete`. */
  readonly outcomes: Record<string, number> = {}
  countedTokens = 0
  countedId = ''
  readonly #server: SoakReady
  readonly #inFlight = new Set<Promise<void>>()
  #keys: ClientKeys
  #started = 0
  #smallAccountCreatedAtMs = 0

  constructor(server: SoakReady) {
    this.#server = server
    this.#keys = { ...server.keys, counted: server.keys.funded }
  }

  /** Creates the account whose charges are also calculated from the responses, and the small account. */
  async createAccounts(): Promise<void> {
    const { id, key } = await this.#createAccount('1000000')
    this.countedId = id
    this.#keys = { ...this.#keys, counted: key }
    await this.#replaceSmallAccount()
  }

  /** Runs this number of clients as fast as possible, and waits until the emulator is idle. */
  async runAll(clients: number): Promise<void> {
    const worker = async () => {
      while (this.#started < clients) await this.#startClient()
    }
    await Promise.all(Array.from({ length: WARM_UP_CONCURRENCY }, worker))
    await this.#waitUntilIdle()
  }

  /** Starts clients at a steady rate, and waits until the emulator is idle. Returns the samples of a measurement. */
  async runFor(seconds: number, measure: () => Promise<number>): Promise<readonly number[]> {
    const sampleMs = Math.max(MIN_SAMPLE_INTERVAL_MS, (seconds * 1000) / SAMPLES)
    const samples: number[] = []
    const startMs = performance.now()
    let due = 0
    for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs = performance.now() - startMs) {
      for (; due < (elapsedMs / 1000) * CLIENTS_PER_SECOND; due += 1)
        if (this.#inFlight.size < MAX_CONCURRENT_CLIENTS) void this.#startClient()
      if (elapsedMs >= samples.length * sampleMs) samples.push(await measure())
      await sleep(5)
    }
    await Promise.all(this.#inFlight)
    await this.#waitUntilIdle()
    return samples
  }

  /** Starts one client. Resolves when the client has finished or disconnected. Never rejects. */
  #startClient(): Promise<void> {
    const index = this.#started
    this.#started += 1
    const client = this.#run(index)
      .catch((error: unknown) => this.wrong.push(`client ${index}: ${String(error)}`))
      .finally(() => this.#inFlight.delete(client)) as Promise<void>
    this.#inFlight.add(client)
    return client
  }

  async #run(index: number): Promise<void> {
    if (performance.now() - this.#smallAccountCreatedAtMs > SMALL_ACCOUNT_LIFETIME_MS) await this.#replaceSmallAccount()
    const random = createSeededRandom(1, 'soak', index)
    const {
      kind,
      outcomes,
      countedTokens = 0,
      failure,
    } = await runClient({
      url: this.#server.url,
      keys: this.#keys,
      random,
      index,
    })
    this.clients[kind] = (this.clients[kind] ?? 0) + 1
    this.countedTokens += countedTokens
    for (const { status, end } of outcomes) {
      const name = `${status} ${end}`
      this.outcomes[name] = (this.outcomes[name] ?? 0) + 1
    }
    if (failure !== undefined) this.wrong.push(`client ${index} (${kind}): ${failure}`)
  }

  async #replaceSmallAccount(): Promise<void> {
    // Sets the time before the first await. Otherwise, concurrent clients would create more accounts.
    this.#smallAccountCreatedAtMs = performance.now()
    const { key } = await this.#createAccount(SMALL_CREDITS)
    this.#keys = { ...this.#keys, small: key }
  }

  #createAccount(credits: string) {
    // The cast is safe: the control API documents this shape.
    return control(this.#server.url, '/accounts', { credits }) as Promise<{ readonly id: string; readonly key: string }>
  }

  async #waitUntilIdle(): Promise<void> {
    const limitMs = performance.now() + MAX_IDLE_WAIT_MS
    for (;;) {
      // The cast is safe: the control API documents this shape.
      const { inFlight } = (await control(this.#server.url, '/health')) as { inFlight: number }
      if (inFlight === 0) return
      if (performance.now() > limitMs) throw new Error(`${inFlight} requests are in progress, and no client is left`)
      await sleep(20)
    }
  }
}

/**
 * Fits a line to the last two thirds of the samples by least squares, because the heap size is not yet stable during the
 * first third.
 * @returns the growth along the line; NaN for fewer than two samples
 */
function fitGrowth(samples: readonly number[]): number {
  const later = samples.slice(Math.floor(samples.length / 3))
  const middle = (later.length - 1) / 2
  const mean = later.reduce((sum, value) => sum + value, 0) / later.length
  const squares = later.reduce((sum, _value, index) => sum + (index - middle) ** 2, 0)
  const slope = later.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0) / squares
  return slope * (later.length - 1)
}
