import type { Agent } from 'node:http'
import { runClient, type Keys } from './clients.ts'
import { createAccount, waitUntilIdle } from '../emulator-control.ts'
import { SeededRandom } from './seeded-random.ts'
import type { SoakReady } from '../soak-server.ts'

const RUSH_AT_ONCE = 100
/** Credits of the small account, and how often it is replaced. */
const POOR_CREDITS = '0.6'
const POOR_EVERY_MS = 10_000
/** Maximum number of reported failures: one defect may cause thousands. */
const MOST_WRONG = 20

/** The clients of a soak test and their results. */
export class Load {
  readonly wrong: string[] = []
  readonly clients: Record<string, number> = {}
  readonly outcomes: Record<string, number> = {}
  countedTokens = 0
  countedId = ''
  readonly #server: SoakReady
  readonly #agent: Agent
  readonly #seed: number
  readonly #underWay = new Set<Promise<void>>()
  #keys: Keys
  #begun = 0
  #poorSinceMs = -Infinity

  constructor(server: SoakReady, agent: Agent, seed: number) {
    this.#server = server
    this.#agent = agent
    this.#seed = seed
    const { funded, empty, limited } = server.keys
    this.#keys = { funded, empty, limited, counted: funded, small: empty }
  }

  get underWay(): number {
    return this.#underWay.size
  }

  /** Runs this many clients as fast as the emulator serves them. */
  async rush(clients: number): Promise<void> {
    const end = this.#begun + clients
    const worker = async () => {
      while (this.#begun < end) await this.begin()
    }
    await Promise.all(Array.from({ length: RUSH_AT_ONCE }, worker))
    await waitUntilIdle(this.#server.url)
  }

  /** Resets the counters. */
  forget(): void {
    for (const counts of [this.clients, this.outcomes]) for (const name of Object.keys(counts)) delete counts[name]
    this.countedTokens = 0
  }

  /** Creates fresh accounts for the clients that start from now on. */
  async openAccounts(): Promise<void> {
    const { id, key } = await createAccount(this.#server.url, '1000000')
    this.countedId = id
    this.#keys = { ...this.#keys, counted: key }
    await this.#renewPoor()
  }

  /** Starts one client. Resolves when the client has finished or disconnected; never rejects. */
  begin(): Promise<void> {
    const index = this.#begun
    this.#begun += 1
    const client = this.#run(index)
      .catch((error: unknown) =>
        this.#tell(`client ${index}: ${error instanceof Error ? error.message : String(error)}`),
      )
      .finally(() => this.#underWay.delete(client))
    this.#underWay.add(client)
    return client
  }

  /** Resolves when every client has finished and the emulator has no request in flight. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
    await waitUntilIdle(this.#server.url)
  }

  async #run(index: number): Promise<void> {
    if (this.countedId !== '' && performance.now() - this.#poorSinceMs > POOR_EVERY_MS) await this.#renewPoor()
    const random = new SeededRandom(this.#seed, index)
    const context = { url: this.#server.url, agent: this.#agent, keys: this.#keys, random, index }
    const { kind, outcomes, countedTokens = 0, failure } = await runClient(context)
    this.clients[kind] = (this.clients[kind] ?? 0) + 1
    this.countedTokens += countedTokens
    for (const { status, end } of outcomes) {
      const name = `${status} ${end}`
      this.outcomes[name] = (this.outcomes[name] ?? 0) + 1
    }
    if (failure !== undefined && this.countedId !== '') this.#tell(`client ${index} (${kind}): ${failure}`)
  }

  async #renewPoor(): Promise<void> {
    this.#poorSinceMs = performance.now() // set before the first await, so that no other client does the same
    const { key } = await createAccount(this.#server.url, POOR_CREDITS)
    this.#keys = { ...this.#keys, small: key }
  }

  #tell(wrong: string): void {
    if (this.wrong.length < MOST_WRONG) this.wrong.push(wrong)
  }
}
