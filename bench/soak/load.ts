import type { Agent } from 'node:http'
import { runClient, type Keys } from './clients.ts'
import { createAccount, waitUntilIdle } from '../emulator-control.ts'
import { Draws } from './draws.ts'
import type { SoakReady } from '../soak-server.ts'

const RUSH_AT_ONCE = 100
/** Credits of the account that is soon used up, and how often there is a fresh one. */
const POOR_CREDITS = '0.6'
const POOR_EVERY_MS = 10_000
/** Of what is wrong, so many are told: one defect may show thousands of times. */
const MOST_WRONG = 20

/** The clients of a soak, and what they saw. */
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
    this.#keys = { funded, empty, limited, counted: funded, poor: empty }
  }

  get underWay(): number {
    return this.#underWay.size
  }

  /** Runs so many clients as fast as they are served. */
  async rush(clients: number): Promise<void> {
    const end = this.#begun + clients
    const worker = async () => {
      while (this.#begun < end) await this.begin()
    }
    await Promise.all(Array.from({ length: RUSH_AT_ONCE }, worker))
    await waitUntilIdle(this.#server.url)
  }

  /** Begins to count anew. */
  forget(): void {
    for (const counts of [this.clients, this.outcomes]) for (const name of Object.keys(counts)) delete counts[name]
    this.countedTokens = 0
  }

  /** Gives the clients the accounts that they use from now on. */
  async openAccounts(): Promise<void> {
    const { id, key } = await createAccount(this.#server.url, '1000000')
    this.countedId = id
    this.#keys = { ...this.#keys, counted: key }
    await this.#renewPoor()
  }

  /** Begins one client. Resolves when it has what it came for, or left; never rejects. */
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

  /** Resolves when all clients are gone and the emulator has noticed. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
    await waitUntilIdle(this.#server.url)
  }

  async #run(index: number): Promise<void> {
    if (this.countedId !== '' && performance.now() - this.#poorSinceMs > POOR_EVERY_MS) await this.#renewPoor()
    const draws = new Draws(this.#seed, index)
    const setting = { url: this.#server.url, agent: this.#agent, keys: this.#keys, draws, index }
    const { kind, outcomes, countedTokens = 0, wrong } = await runClient(setting)
    this.clients[kind] = (this.clients[kind] ?? 0) + 1
    this.countedTokens += countedTokens
    for (const { status, end } of outcomes) {
      const name = `${status} ${end}`
      this.outcomes[name] = (this.outcomes[name] ?? 0) + 1
    }
    if (wrong !== undefined && this.countedId !== '') this.#tell(`client ${index} (${kind}): ${wrong}`)
  }

  async #renewPoor(): Promise<void> {
    this.#poorSinceMs = performance.now() // at once, so that nobody else does
    const { key } = await createAccount(this.#server.url, POOR_CREDITS)
    this.#keys = { ...this.#keys, poor: key }
  }

  #tell(wrong: string): void {
    if (this.wrong.length < MOST_WRONG) this.wrong.push(wrong)
  }
}
