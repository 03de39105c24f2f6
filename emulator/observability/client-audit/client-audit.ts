import type { Client } from '../client-identity.ts'
import { creditsFromUnits } from '../../state/credits.ts'
import { ClientRecord } from './client-record.ts'
import { MISCONDUCT, type ClientConduct, type Conduct, type Finding } from './finding.ts'
import type { Observation } from './observation.ts'

/** Clients that are kept apart; of more, the one not seen for longest is forgotten. */
const MOST_CLIENTS = 10_000

/** What a client said that it paid, with what it was charged, in units of 0.0001 credit. */
export interface Billing {
  readonly believedUnits: number
  readonly chargedUnits: number
}

interface Page {
  readonly client: Client
  readonly record: ClientRecord
  billing?: Billing
}

/** What is held against whom. */
export class ConductBook {
  readonly #pages = new Map<string, Page>()
  /** The page at the end of the map, which is mostly the one that is asked for next. */
  #last: Page | undefined
  #lastName = ''

  observe(client: Client, observation: Observation): void {
    this.#pageOf(client).record.observe(observation)
  }

  /** Notes what the holder of an account believes to have paid; the last word counts. */
  noteBilling(client: Client, billing: Billing): void {
    this.#pageOf(client).billing = billing
  }

  /** The verdict on all clients, or on those that `isAsked` picks. */
  judge(isAsked: (client: Client) => boolean = () => true): Conduct {
    const clients = [...this.#pages.values()].filter(({ client }) => isAsked(client)).map(describe)
    return {
      clean: clients.every(({ findings }) => findings.length === 0),
      requests: clients.reduce((sum, { requests }) => sum + requests, 0),
      clients,
    }
  }

  clear(): void {
    this.#pages.clear()
    this.#last = undefined
  }

  #pageOf(client: Client): Page {
    const name = client.account ?? `?${client.keySuffix ?? ''}` // ids of accounts have no question mark
    if (this.#last !== undefined && this.#lastName === name) return this.#last
    const page = this.#pages.get(name) ?? { client, record: new ClientRecord() }
    this.#last = page
    this.#lastName = name
    this.#pages.delete(name) // inserted anew, so that the map's order is the order of last use
    this.#pages.set(name, page)
    if (this.#pages.size > MOST_CLIENTS) {
      const oldest = this.#pages.keys().next()
      if (!oldest.done) this.#pages.delete(oldest.value)
    }
    return page
  }
}

function describe({ client, record, billing }: Page): ClientConduct {
  const findings: Finding[] = record.findings()
  if (billing !== undefined && billing.believedUnits !== billing.chargedUnits) {
    const credits = {
      believed: creditsFromUnits(billing.believedUnits),
      charged: creditsFromUnits(billing.chargedUnits),
    }
    const kind = 'billing-differs'
    findings.push({ kind, sentence: MISCONDUCT[kind], count: 1, evidence: [], credits })
  }
  return { account: client.account, keySuffix: client.keySuffix, requests: record.requests, findings }
}
