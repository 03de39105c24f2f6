import type { ClientIdentity } from '../client-identity.ts'
import { formatUnits } from '../../state/credits.ts'
import { ClientHistory } from './client-history.ts'
import { FINDING_SENTENCES, type ClientReport, type ClientAuditReport, type Finding } from './findings.ts'
import type { RequestObservation } from './observation.ts'

/** Maximum number of clients with a history. Beyond it, the audit drops the least recently seen client. */
const MAX_CLIENTS = 10_000

/** Costs that a client reported and actual charges, in units of 0.0001 credit. */
export interface BillingReport {
  readonly believedUnits: number
  readonly chargedUnits: number
}

interface ClientState {
  readonly client: ClientIdentity
  readonly history: ClientHistory
  billing?: BillingReport
}

/**
 * Collects findings about each client: missing backoff, pointless or charged retries, aborted streams, leaked keys, and
 * computed costs that differ from the charges.
 */
export class ClientAudit {
  readonly #clients = new Map<string, ClientState>()
  /** State of the most recently seen client: the last entry of the map. */
  #last: ClientState | undefined
  #lastName = ''

  observe(client: ClientIdentity, observation: RequestObservation): void {
    this.#stateOf(client).history.observe(observation)
  }

  /** Stores the costs that a client reported. Replaces its previous report. */
  reportBilling(client: ClientIdentity, billing: BillingReport): void {
    this.#stateOf(client).billing = billing
  }

  /** Returns the findings about all clients, or about the clients that `isSelected` accepts. */
  report(isSelected: (client: ClientIdentity) => boolean = () => true): ClientAuditReport {
    const clients = [...this.#clients.values()].filter(({ client }) => isSelected(client)).map(createReport)
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

  #stateOf(client: ClientIdentity): ClientState {
    // The question mark distinguishes unknown clients, because account IDs contain none.
    const name = client.account ?? `?${client.keyFingerprint ?? ''}`
    if (this.#last !== undefined && this.#lastName === name) return this.#last
    const state = this.#clients.get(name) ?? { client, history: new ClientHistory() }
    this.#last = state
    this.#lastName = name
    this.#clients.delete(name) // Reinserts the entry, so that the map is ordered by last use.
    this.#clients.set(name, state)
    if (this.#clients.size > MAX_CLIENTS) {
      const oldest = this.#clients.keys().next()
      if (!oldest.done) this.#clients.delete(oldest.value)
    }
    return state
  }
}

function createReport({ client, history, billing }: ClientState): ClientReport {
  const findings: Finding[] = history.getFindings()
  if (billing !== undefined && billing.believedUnits !== billing.chargedUnits) {
    const credits = {
      believed: formatUnits(billing.believedUnits),
      charged: formatUnits(billing.chargedUnits),
    }
    const kind = 'billing-differs'
    findings.push({ kind, sentence: FINDING_SENTENCES[kind], count: 1, evidence: [], credits })
  }
  return { account: client.account, keyFingerprint: client.keyFingerprint, requests: history.requests, findings }
}
