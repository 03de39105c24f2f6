import type { ModelId } from '../../contract/facts.ts'

/** What a hold is for. */
export interface Purpose {
  /** As the client sees it in `x-request-id`. */
  readonly requestId: string
  readonly model: ModelId | undefined
  /** The most tokens that the request can use. */
  readonly tokens: number
}

/** One line of the ledger. Units of 0.0001 credit. */
export type BookEntry = HoldEntry | EndEntry

interface EntryBase {
  /** Ascends over all accounts, from 1. */
  readonly sequence: number
  readonly page: Page
  readonly purpose: Purpose
  readonly unixMs: number
}

/** Credits set aside. */
export interface HoldEntry extends EntryBase {
  readonly kind: 'hold'
  readonly heldUnits: number
}

/** The end of a hold: `settle` where something was charged, `release` where all of it was freed. */
export interface EndEntry extends EntryBase {
  readonly kind: 'settle' | 'release'
  /** Sequence number of the hold. */
  readonly hold: number
  readonly chargedUnits: number
  readonly freedUnits: number
  readonly usedTokens: number
}

/** What the entries of a stretch of the book come to. */
export interface Sums {
  chargedUnits: number
  /** Units of the holds that have not ended, by sequence number. */
  readonly openHolds: Map<number, number>
}

/** The part of the book that belongs to one account. */
export interface Page {
  readonly accountId: string
  /** What the entries that were dropped came to. */
  readonly dropped: Sums & { entries: number }
}

/** Most entries that a book keeps, of all accounts together; about 200 bytes each. */
export const MOST_ENTRIES = 65_536

/**
 * What happened to the credits, entry by entry. Bounded: past `capacity` entries the oldest is dropped, and what it came to
 * is added up on the page of its account, so that the rest can still be checked.
 */
export class Book {
  readonly #capacity: number
  readonly #unixMs: () => number
  /** The entry with sequence number n is at n modulo the capacity. */
  readonly #ring: (BookEntry | undefined)[] = []
  #written = 0

  constructor(unixMs: () => number, capacity = MOST_ENTRIES) {
    this.#unixMs = unixMs
    this.#capacity = capacity
  }

  /** A new page, for a new account. */
  open(accountId: string): Page {
    return { accountId, dropped: { entries: 0, chargedUnits: 0, openHolds: new Map() } }
  }

  writeHold(page: Page, purpose: Purpose, heldUnits: number): HoldEntry {
    this.#written += 1
    return this.#write({ kind: 'hold', sequence: this.#written, page, purpose, unixMs: this.#unixMs(), heldUnits })
  }

  writeEnd(hold: HoldEntry, chargedUnits: number, usedTokens: number): void {
    this.#written += 1
    this.#write({
      kind: chargedUnits === 0 ? 'release' : 'settle',
      sequence: this.#written,
      page: hold.page,
      purpose: hold.purpose,
      unixMs: this.#unixMs(),
      hold: hold.sequence,
      chargedUnits,
      freedUnits: hold.heldUnits - chargedUnits,
      usedTokens,
    })
  }

  /** The entries that are kept, oldest first, from the one after sequence number `after`. */
  *entries(after = 0): Generator<BookEntry> {
    const first = Math.max(after + 1, this.#written - this.#capacity + 1)
    for (let sequence = first; sequence <= this.#written; sequence += 1) {
      const entry = this.#ring[sequence % this.#capacity]
      if (entry !== undefined) yield entry
    }
  }

  /** Forgets all entries; sequence numbers go on. */
  clear(): void {
    this.#ring.length = 0
  }

  #write<Entry extends BookEntry>(entry: Entry): Entry {
    const index = entry.sequence % this.#capacity
    const oldest = this.#ring[index]
    if (oldest !== undefined) {
      oldest.page.dropped.entries += 1
      addEntry(oldest.page.dropped, oldest)
    }
    this.#ring[index] = entry
    return entry
  }
}

/** Adds an entry to sums. @returns one sentence when it does not follow from the entries before it */
export function addEntry(sums: Sums, entry: BookEntry): string | undefined {
  if (entry.kind === 'hold') {
    sums.openHolds.set(entry.sequence, entry.heldUnits)
    return undefined
  }
  const heldUnits = sums.openHolds.get(entry.hold)
  sums.openHolds.delete(entry.hold)
  sums.chargedUnits += entry.chargedUnits
  if (heldUnits === undefined) return `Entry ${entry.sequence} ends hold ${entry.hold}, which is not open.`
  if (entry.chargedUnits + entry.freedUnits === heldUnits && entry.freedUnits >= 0) return undefined
  return `Entry ${entry.sequence} ends hold ${entry.hold} of ${heldUnits} units with ${entry.chargedUnits} charged and ${entry.freedUnits} freed.`
}
