import type { LedgerLog, HoldEntry, LedgerAccount, HoldPurpose } from './ledger-log.ts'

/** Credits set aside for one request. Resolves once: a second `settle` of the same hold is a defect of the caller. */
export interface Hold {
  readonly units: number
  /** Its line in the book, where it has one. */
  readonly entry: HoldEntry | undefined
  /** Where it is open; undefined once it is settled. */
  ledger: Ledger | undefined
}

/** Where a ledger writes down what happens. Without it nothing is. */
export interface LedgerLogAccount {
  readonly log: LedgerLog
  readonly account: LedgerAccount
}

/** The sums of one account, in units of 0.0001 credit. `startUnits` = `availableUnits` + `heldUnits` + `chargedUnits`. */
export interface Balance {
  readonly startUnits: number
  readonly availableUnits: number
  readonly heldUnits: number
  readonly chargedUnits: number
}

/**
 * The prepaid account of one key (section 5, rules 4 and 5; section 8), in integer units of 0.0001 credit. Two steps, as
 * with pending transfers in a bank's ledger: `hold` sets the upper bound aside or refuses, `settle` charges what was used
 * and frees the rest. Nothing is charged without a hold, so charges never exceed the start.
 */
export class Ledger {
  readonly #log: LedgerLogAccount | undefined
  readonly #startUnits: number
  #chargedUnits = 0
  #heldUnits = 0

  constructor(startUnits: number, record?: LedgerLogAccount) {
    assertUnits(startUnits)
    this.#log = record
    this.#startUnits = startUnits
  }

  /**
   * Sets `units` aside. With a purpose it is written down; a hold of nothing never is.
   * @returns undefined when less than that is available; nothing has changed then
   */
  hold(units: number, purpose?: HoldPurpose): Hold | undefined {
    assertUnits(units)
    if (units > this.#computeAvailableUnits()) return undefined
    const record = this.#log
    const isWritten = record !== undefined && purpose !== undefined && units > 0
    const entry = isWritten ? record.log.recordHold(record.account, purpose, units) : undefined
    this.#heldUnits += units
    return { units, entry, ledger: this }
  }

  /**
   * Charges `usedUnits` of a hold and frees the rest; 0 frees it all. `usedTokens` is for the record.
   * @throws when the hold was settled before, is another ledger's, or is smaller than what was used
   */
  settle(hold: Hold, usedUnits: number, usedTokens = 0): void {
    assertUnits(usedUnits)
    if (usedUnits > hold.units) throw new Error(`used ${usedUnits} units of a hold of ${hold.units}`)
    if (hold.ledger !== this) throw new Error('this hold is settled already, or belongs to another account')
    hold.ledger = undefined
    this.#heldUnits -= hold.units
    this.#chargedUnits += usedUnits
    if (hold.entry !== undefined) this.#log?.log.recordSettlement(hold.entry, usedUnits, usedTokens)
  }

  balance(): Balance {
    return {
      startUnits: this.#startUnits,
      availableUnits: this.#computeAvailableUnits(),
      heldUnits: this.#heldUnits,
      chargedUnits: this.#chargedUnits,
    }
  }

  #computeAvailableUnits(): number {
    return this.#startUnits - this.#chargedUnits - this.#heldUnits
  }
}

function assertUnits(units: number): void {
  if (!Number.isSafeInteger(units) || units < 0) throw new Error(`${units} is no whole number of units`)
}
