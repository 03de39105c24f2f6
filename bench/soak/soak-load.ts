import type { Agent } from 'node:http'
import { runClient, type ClientKeys } from './clients.ts'
import { createAccount, waitUntilIdle } from '../emulator-control.ts'
import { SeededRandom } from './seeded-random.ts'
import type { SoakReady } from '../soak-server.ts'

const MAX_CONCURRENT_CLIENTS = 100
/** Initial credits of the small account. A new account replaces it every 10 seconds. */
const SMALL_CREDITS = '0.6'
const SMALL_ACCOUNT_LIFETIME_MS = 10_000
/** Maximum number of failures in the result, because one defect may cause thousands. */
const MAX_FAILURES = 20

export class SoakLoad {
  readonly wrong: string[] = []
  readonly clients: Record<string, number> = {}
  readonly outcomes: Record<string, number> = {}
  countedTokens = 0
  countedId = ''
  readonly #server: SoakReady
  readonly #agent: Agent
  readonly #seed: number
  readonly #inFlight = new Set<Promise<void>>()
  #keys: ClientKeys
  #started = 0
  #smallAccountCreatedAtMs = -Infinity

  constructor(server: SoakReady, agent: Agent, seed: number) {
    this.#server = server
    this.#agent = agent
    this.#seed = seed
    const { funded, noCredits, limited } = server.keys
    this.#keys = { funded, noCredits, limited, counted: funded, small: noCredits }
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  /** Runs this number of clients, 100 of them concurrently, and waits until the emulator is idle. */
  async runClients(clients: number): Promise<void> {
    const end = this.#started + clients
    const worker = async () => {
      while (this.#started < end) await this.startClient()
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_CLIENTS }, worker))
    await waitUntilIdle(this.#server.url)
  }

  /** Clears the counts of clients, responses and tokens. */
  resetCounts(): void {
    for (const counts of [this.clients, this.outcomes]) for (const name of Object.keys(counts)) delete counts[name]
    this.countedTokens = 0
  }

  /** Creates the counted account and the small account. Only clients that start later use them. */
  async createAccounts(): Promise<void> {
    const { id, key } = await createAccount(this.#server.url, '1000000')
    this.countedId = id
    this.#keys = { ...this.#keys, counted: key }
    await this.#replaceSmallAccount()
  }

  /** Starts one client. Resolves when the client has finished or disconnected. Never rejects. */
  startClient(): Promise<void> {
    const index = this.#started
    this.#started += 1
    const client = this.#run(index)
      .catch((error: unknown) =>
        this.#addFailure(`client ${index}: ${error instanceof Error ? error.message : String(error)}`),
      )
      .finally(() => this.#inFlight.delete(client))
    this.#inFlight.add(client)
    return client
  }

  /** Resolves when every client has finished and the emulator has no request in flight. */
  async waitUntilIdle(): Promise<void> {
    await Promise.all(this.#inFlight)
    await waitUntilIdle(this.#server.url)
  }

  async #run(index: number): Promise<void> {
    if (this.countedId !== '' && performance.now() - this.#smallAccountCreatedAtMs > SMALL_ACCOUNT_LIFETIME_MS)
      await this.#replaceSmallAccount()
    const random = new SeededRandom(this.#seed, index)
    const context = { url: this.#server.url, agent: this.#agent, keys: this.#keys, random, index }
    const { kind, outcomes, countedTokens = 0, failure } = await runClient(context)
    this.clients[kind] = (this.clients[kind] ?? 0) + 1
    this.countedTokens += countedTokens
    for (const { status, end } of outcomes) {
      const name = `${status} ${end}`
      this.outcomes[name] = (this.outcomes[name] ?? 0) + 1
    }
    if (failure !== undefined && this.countedId !== '') this.#addFailure(`client ${index} (${kind}): ${failure}`)
  }

  async #replaceSmallAccount(): Promise<void> {
    // Sets the time before the first await. Otherwise, concurrent clients would create more accounts.
    this.#smallAccountCreatedAtMs = performance.now()
    const { key } = await createAccount(this.#server.url, SMALL_CREDITS)
    this.#keys = { ...this.#keys, small: key }
  }

  #addFailure(wrong: string): void {
    if (this.wrong.length < MAX_FAILURES) this.wrong.push(wrong)
  }
}
