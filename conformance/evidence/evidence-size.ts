import type { ExchangeEntry } from '../../reports/conformance-document.ts'
import type { Exchange } from '../http/exchange.ts'
import { EVIDENCE_LIMITS, MAX_EVIDENCE_CHARACTERS, SHORT_EVIDENCE_LIMITS } from '../http/memory-limits.ts'
import { describeExchange } from './describe-exchange.ts'
import type { SecretMask } from './secrets.ts'

/** Describes the evidence of a run. When it becomes large, later exchanges are shorter. */
export class EvidenceSize {
  #characters = 0
  #limits = EVIDENCE_LIMITS
  /** Entries with the present limits. Many checks show the same exchange, and masking it takes long. */
  #entries = new WeakMap<Exchange, ExchangeEntry>()

  describe(exchange: Exchange, mask: SecretMask): ExchangeEntry {
    if (this.#characters >= MAX_EVIDENCE_CHARACTERS && this.#limits !== SHORT_EVIDENCE_LIMITS) {
      this.#limits = SHORT_EVIDENCE_LIMITS
      this.#entries = new WeakMap()
    }
    const entry = this.#entries.get(exchange) ?? describeExchange(exchange, mask, this.#limits)
    this.#entries.set(exchange, entry)
    this.#characters += JSON.stringify(entry).length
    return entry
  }
}
