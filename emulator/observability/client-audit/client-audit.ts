import type { Client } from '../client-identity.ts'
import { creditsFromUnits } from '../../state/credits.ts'
import { ClientHistory } from './client-history.ts'
import { FINDING_SENTENCES, type ClientReport, type ClientAuditReport, type Finding } from './findings.ts'
import type { RequestObservation } from './observation.ts'

/** Clients that are kept apart; of more, the one not seen for longest is forgotten. */
const MAX_CLIENTS = 10_000

/** What a client said that it paid, with what it was charged, in units of 0.0001 credit. */
export interface BillingReport {
  readonly believedUnits: number
  readonly chargedUnits: number
}

interface ClientState {
  readonly client: Client
  readonly history: ClientHistory
  billing?: BillingReport
}

/** What is held against whom. */
export class ClientAudit {
  readonly #clients = new Map<string, ClientState>()
  /** The page at the end of the map, which is mostly the one that is asked for next. */
  #last: ClientState | undefined
  #lastName = ''

  observe(client: Client, observation: RequestObservation): void {
    this.#stateOf(client).history.observe(observation)
  }

  /** Notes what the holder of an account believes to have paid; the last word counts. */
  reportBilling(client: Client, billing: BillingReport): void {
    this.#stateOf(client).billing = billing
  }

  /** The verdict on all clients, or on those that `isAsked` picks. */
  report(isAsked: (client: Client) => boolean = () => true): ClientAuditReport {
    const clients = [...this.#clients.values()].filter(({ client }) => isAsked(client)).map(createReport)
    return {
      clean: clients.every(({ findings }) => findings.length === 0),
      requests: clients.reduce((sum, { requests }) => sum + requests, 0),
      clients,
    }
  }

  clear(): void {
    this.#clients.clear()
    this.#last = undefined
  }

  #stateOf(client: Client): ClientState {
    const name = client.account ?? `?${client.keySuffix ?? ''}` // ids of accounts have no question mark
    if (this.#last !== undefined && this.#lastName === name) return this.#last
    const page = this.#clients.get(name) ?? { client, history: new ClientHistory() }
    this.#last = page
    this.#lastName = name
    this.#clients.delete(name) // inserted anew, so that the map's order is the order of last use
    this.#clients.set(name, page)
    if (this.#clients.size > MAX_CLIENTS) {
      const oldest = this.#clients.keys().next()
      if (!oldest.done) this.#clients.delete(oldest.value)
    }
    return page
  }
}

function createReport({ client, history, billing }: ClientState): ClientReport {
  const findings: Finding[] = history.findings()
  if (billing !== undefined && billing.believedUnits !== billing.chargedUnits) {
    const credits = {
      believed: creditsFromUnits(billing.believedUnits),
      charged: creditsFromUnits(billing.chargedUnits),
    }
    const kind = 'billing-differs'
    findings.push({ kind, sentence: FINDING_SENTENCES[kind], count: 1, evidence: [], credits })
  }
  return { account: client.account, keySuffix: client.keySuffix, requests: history.requests, findings }
}
