import type { ModelId } from '../../contract/facts.ts'

/** What a hold is for. */
export interface HoldPurpose {
  /** As the client sees it in `x-request-id`. */
  readonly requestId: string
  readonly model: ModelId | undefined
  /** The most tokens that the request can use. */
  readonly tokens: number
}

/** One line of the ledger. Units of 0.0001 credit. */
export type LedgerEntry = HoldEntry | SettlementEntry

interface LedgerEntryBase {
  /** Ascends over all accounts, from 1. */
  readonly sequence: number
  readonly account: LedgerAccount
  readonly purpose: HoldPurpose
  readonly unixMs: number
}

/** Credits set aside. */
export interface HoldEntry extends LedgerEntryBase {
  readonly kind: 'hold'
  readonly heldUnits: number
}

/** The end of a hold: `settle` where something was charged, `release` where all of it was freed. */
export interface SettlementEntry extends LedgerEntryBase {
  readonly kind: 'settle' | 'release'
  /** Sequence number of the hold. */
  readonly hold: number
  readonly chargedUnits: number
  readonly releasedUnits: number
  readonly usedTokens: number
}

/** What the entries of a stretch of the book come to. */
export interface LedgerTotals {
  chargedUnits: number
  /** Units of the holds that have not ended, by sequence number. */
  readonly openHolds: Map<number, number>
}

/** The part of the book that belongs to one account. */
export interface LedgerAccount {
  readonly accountId: string
  /** What the entries that were dropped came to. */
  readonly dropped: LedgerTotals & { entries: number }
}

/** Most entries that a book keeps, of all accounts together; about 200 bytes each. */
export const MAX_ENTRIES = 65_536

/**
 * What happened to the credits, entry by entry. Bounded: past `capacity` entries the oldest is dropped, and what it came to
 * is added up on the page of its account, so that the rest can still be checked.
 */
export class LedgerLog {
  readonly #capacity: number
  readonly #unixMs: () => number
  /** The entry with sequence number n is at n modulo the capacity. */
  readonly #ring: (LedgerEntry | undefined)[] = []
  #lastSequence = 0

  constructor(unixMs: () => number, capacity = MAX_ENTRIES) {
    this.#unixMs = unixMs
    this.#capacity = capacity
  }

  /** A new page, for a new account. */
  addAccount(accountId: string): LedgerAccount {
    return { accountId, dropped: { entries: 0, chargedUnits: 0, openHolds: new Map() } }
  }

  recordHold(account: LedgerAccount, purpose: HoldPurpose, heldUnits: number): HoldEntry {
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

  /** The entries that are kept, oldest first, from the one after sequence number `after`. */
  *entries(after = 0): Generator<LedgerEntry> {
    const first = Math.max(after + 1, this.#lastSequence - this.#capacity + 1)
    for (let sequence = first; sequence <= this.#lastSequence; sequence += 1) {
      const entry = this.#ring[sequence % this.#capacity]
      if (entry !== undefined) yield entry
    }
  }

  /** Forgets all entries; sequence numbers go on. */
  clear(): void {
    this.#ring.length = 0
  }

  #append<Entry extends LedgerEntry>(entry: Entry): Entry {
    const index = entry.sequence % this.#capacity
    const oldest = this.#ring[index]
    if (oldest !== undefined) {
      oldest.account.dropped.entries += 1
      addToTotals(oldest.account.dropped, oldest)
    }
    this.#ring[index] = entry
    return entry
  }
}

/** Adds an entry to totals. @returns one sentence when it does not follow from the entries before it */
export function addToTotals(totals: LedgerTotals, entry: LedgerEntry): string | undefined {
  if (entry.kind === 'hold') {
    totals.openHolds.set(entry.sequence, entry.heldUnits)
    return undefined
  }
  const heldUnits = totals.openHolds.get(entry.hold)
  totals.openHolds.delete(entry.hold)
  totals.chargedUnits += entry.chargedUnits
  if (heldUnits === undefined) return `Entry ${entry.sequence} ends hold ${entry.hold}, which is not open.`
  if (entry.chargedUnits + entry.releasedUnits === heldUnits && entry.releasedUnits >= 0) return undefined
  return `Entry ${entry.sequence} ends hold ${entry.hold} of ${heldUnits} units with ${entry.chargedUnits} charged and ${entry.releasedUnits} released.`
}
