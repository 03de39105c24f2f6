import type { ExchangeEntry } from '../../reports/conformance-document.ts'
import {
  EVIDENCE_LIMITS,
  type EvidenceLimits,
  MAX_EVIDENCE_CHARACTERS,
  SHORT_EVIDENCE_LIMITS,
} from '../http/memory-limits.ts'

/** Size of the evidence of a run. When it becomes large, later exchanges are shorter. */
export class EvidenceSize {
  #characters = 0

  get limits(): EvidenceLimits {
    return this.#characters < MAX_EVIDENCE_CHARACTERS ? EVIDENCE_LIMITS : SHORT_EVIDENCE_LIMITS
  }

  /** Adds an entry to the size, and returns it. */
  count(entry: ExchangeEntry): ExchangeEntry {
    this.#characters += JSON.stringify(entry).length
    return entry
  }
}
