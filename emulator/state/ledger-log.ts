export interface LedgerRequest {
  /** Id of the request, as in the response header `x-request-id`. */
  readonly requestId: string
  readonly model: string | undefined
  /** Maximum number of tokens that the request can use. */
  readonly tokens: number
}

/** An entry of the ledger log. Amounts are in units of 0.0001 credit. */
export type LedgerEntry = HoldEntry | SettlementEntry | AdjustmentEntry

interface LedgerEntryBase {
  /** Sequence number across all accounts, starting at 1. */
  readonly sequence: number
  readonly account: LedgerAccount
  readonly unixMs: number
}

export interface HoldEntry extends LedgerEntryBase {
  readonly kind: 'hold'
  readonly purpose: LedgerRequest
  readonly heldUnits: number
}

/** Ledger entry for the end of a hold: `settle` if units were charged, `release` if all units were released. */
export interface SettlementEntry extends LedgerEntryBase {
  readonly kind: 'settle' | 'release'
  readonly purpose: LedgerRequest
  /** Sequence number of the entry for the hold. */
  readonly hold: number
  readonly chargedUnits: number
  readonly releasedUnits: number
  readonly usedTokens: number
}

/** Ledger entry for credits that were added to an account or removed from it, independent of any request. */
export interface AdjustmentEntry extends LedgerEntryBase {
  readonly kind: 'adjust'
  /** Number of units added; negative if units were removed. */
  readonly addedUnits: number
}

export interface LedgerTotals {
  addedUnits: number
  chargedUnits: number
  /** Units of each open hold, by the sequence number of the entry for the hold. */
  readonly openHolds: Map<number, number>
}

export interface LedgerAccount {
  readonly accountId: string
  readonly dropped: LedgerTotals & { entries: number }
}

/** Maximum number of ledger entries for all accounts together. An entry takes about 200 bytes. */
export const MAX_LEDGER_ENTRIES = 65_536

/**
 * Log of holds, settlements and adjustments. Beyond `capacity`, the log drops the oldest entry and adds it to the
 * totals of its account, so that the account can still be audited.
 */
export class LedgerLog {
  readonly #capacity: number
  readonly #unixMs: () => number
  /** Ring buffer. Entry n is at index n modulo the capacity. */
  readonly #ring: (LedgerEntry | undefined)[] = []
  #lastSequence = 0

  constructor(unixMs: () => number, capacity = MAX_LEDGER_ENTRIES) {
    this.#unixMs = unixMs
    this.#capacity = capacity
  }

  addAccount(accountId: string): LedgerAccount {
    return { accountId, dropped: { entries: 0, addedUnits: 0, chargedUnits: 0, openHolds: new Map() } }
  }

  recordHold(account: LedgerAccount, purpose: LedgerRequest, heldUnits: number): HoldEntry {
    this.#lastSequence += 1
    return this.#append({
      kind: 'hold',
      sequence: this.#lastSequence,
      account,
      purpose,
      unixMs: this.#unixMs(),
      heldUnits,
    })
  }

  recordSettlement(hold: HoldEntry, chargedUnits: number, usedTokens: number): void {
    this.#lastSequence += 1
    this.#append({
      kind: chargedUnits === 0 ? 'release' : 'settle',
      sequence: this.#lastSequence,
      account: hold.account,
      purpose: hold.purpose,
      unixMs: this.#unixMs(),
      hold: hold.sequence,
      chargedUnits,
      releasedUnits: hold.heldUnits - chargedUnits,
      usedTokens,
    })
  }

  recordAdjustment(account: LedgerAccount, addedUnits: number): void {
    this.#lastSequence += 1
    this.#append({ kind: 'adjust', sequence: this.#lastSequence, account, unixMs: this.#unixMs(), addedUnits })
  }

  /** Yields the entries with a sequence number greater than `after`, oldest first. */
  *entries(after = 0): Generator<LedgerEntry> {
    const first = Math.max(after + 1, this.#lastSequence - this.#capacity + 1)
    for (let sequence = first; sequence <= this.#lastSequence; sequence += 1) {
      const entry = this.#ring[sequence % this.#capacity]
      if (entry !== undefined) yield entry
    }
  }

  /** Removes all entries. Sequence numbers continue. */
  clear(): void {
    this.#ring.length = 0
  }

  #append<Entry extends LedgerEntry>(entry: Entry): Entry {
    const index = entry.sequence % this.#capacity
    const oldest = this.#ring[index]
    if (oldest !== undefined) {
      oldest.account.dropped.entries += 1
      addEntryToTotals(oldest.account.dropped, oldest)
    }
    this.#ring[index] = entry
    return entry
  }
}

/**
 * Adds an entry to totals.
 * @returns a sentence that describes how the entry conflicts with earlier entries, or undefined
 */
export function addEntryToTotals(totals: LedgerTotals, entry: LedgerEntry): string | undefined {
  if (entry.kind === 'hold') {
    totals.openHolds.set(entry.sequence, entry.heldUnits)
    return undefined
  }
  if (entry.kind === 'adjust') {
    totals.addedUnits += entry.addedUnits
    return undefined
  }
  const heldUnits = totals.openHolds.get(entry.hold)
  totals.openHolds.delete(entry.hold)
  totals.chargedUnits += entry.chargedUnits
  if (heldUnits === undefined) return `Entry ${entry.sequence} ends hold ${entry.hold}, which is not open.`
  if (entry.chargedUnits + entry.releasedUnits === heldUnits && entry.releasedUnits >= 0) return undefined
  return `Entry ${entry.sequence} ends hold ${entry.hold} of ${heldUnits} units with ${entry.chargedUnits} charged and ${entry.releasedUnits} released.`
}
