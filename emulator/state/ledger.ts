import { UNITS_PER_CREDIT } from '../../contract/facts.ts'
import { MAX_CREDITS } from './credits.ts'
import type { LedgerLog, HoldEntry, LedgerAccount, LedgerRequest } from './ledger-log.ts'

/** Credits held for one request. A hold can be settled only once. */
export interface Hold {
  readonly units: number
  /** Entry in the ledger log. Undefined if the hold is not logged. */
  readonly entry: HoldEntry | undefined
  /** Ledger to which the open hold belongs. Undefined after the hold is settled. */
  ledger: Ledger | undefined
}

/** Maximum number of available units after an adjustment. Sums of two such amounts are exact integers. */
export const MAX_AVAILABLE_UNITS = MAX_CREDITS * UNITS_PER_CREDIT

/** Ledger log, and the account under which the ledger adds its entries. */
export interface LedgerLogTarget {
  readonly log: LedgerLog
  readonly account: LedgerAccount
}

/**
 * Balance of an account in units of 0.0001 credit. `startUnits` + `addedUnits` = `availableUnits` + `heldUnits` +
 * `chargedUnits`.
 */
export interface Balance {
  readonly startUnits: number
  /** Units added after the start minus units removed. Absent if this is 0. */
  readonly addedUnits?: number
  readonly availableUnits: number
  readonly heldUnits: number
  readonly chargedUnits: number
}

/**
 * Ledger of one account, in integer units of 0.0001 credit (section 5, rules 4 and 5; section 8). A charge takes two
 * steps, like authorization and capture of a card payment:
 * - `hold` holds the maximum cost, or fails.
 * - `settle` charges the actual cost and releases the remaining units.
 *
 * Nothing is charged without a hold, so charges never exceed the credits of the account. `adjust` adds or removes
 * available credits.
 */
export class Ledger {
  readonly #log: LedgerLogTarget | undefined
  readonly #startUnits: number
  #addedUnits = 0
  #chargedUnits = 0
  #heldUnits = 0

  constructor(startUnits: number, log?: LedgerLogTarget) {
    assertUnits(startUnits)
    this.#log = log
    this.#startUnits = startUnits
  }

  /**
   * Holds available units. Logs the hold if `purpose` is given and `units` is not 0.
   * @returns undefined, without holding anything, if fewer units are available
   */
  hold(units: number, purpose?: LedgerRequest): Hold | undefined {
    assertUnits(units)
    if (units > this.#computeAvailableUnits()) return undefined
    const target = this.#log
    const isLogged = target !== undefined && purpose !== undefined && units > 0
    const entry = isLogged ? target.log.recordHold(target.account, purpose, units) : undefined
    this.#heldUnits += units
    return { units, entry, ledger: this }
  }

  /**
   * Charges `usedUnits` of a hold and releases the remaining units.
   * @param usedTokens only for the ledger log
   * @throws Error if the hold is already settled, belongs to a different ledger, or has fewer units than `usedUnits`
   */
  settle(hold: Hold, usedUnits: number, usedTokens = 0): void {
    assertUnits(usedUnits)
    if (usedUnits > hold.units) throw new Error(`cannot charge ${usedUnits} units for a hold of ${hold.units}`)
    if (hold.ledger !== this) throw new Error('the hold is already settled, or belongs to another account')
    hold.ledger = undefined
    this.#heldUnits -= hold.units
    this.#chargedUnits += usedUnits
    if (hold.entry !== undefined) this.#log?.log.recordSettlement(hold.entry, usedUnits, usedTokens)
  }

  /**
   * Adds units to the available credits, or removes them if `units` is negative. Logs the change unless it is 0.
   * @returns false, without any change, if the available credits would be negative or exceed `MAX_AVAILABLE_UNITS`
   */
  adjust(units: number): boolean {
    if (!Number.isSafeInteger(units)) throw new Error(`${units} is not an integer number of units`)
    const availableUnits = this.#computeAvailableUnits() + units
    if (availableUnits < 0 || availableUnits > MAX_AVAILABLE_UNITS) return false
    this.#addedUnits += units
    if (units !== 0) this.#log?.log.recordAdjustment(this.#log.account, units)
    return true
  }

  balance(): Balance {
    return {
      startUnits: this.#startUnits,
      ...(this.#addedUnits === 0 ? {} : { addedUnits: this.#addedUnits }),
      availableUnits: this.#computeAvailableUnits(),
      heldUnits: this.#heldUnits,
      chargedUnits: this.#chargedUnits,
    }
  }

  #computeAvailableUnits(): number {
    return this.#startUnits + this.#addedUnits - this.#chargedUnits - this.#heldUnits
  }
}

function assertUnits(units: number): void {
  if (!Number.isSafeInteger(units) || units < 0)
    throw new Error(`${units} is not a non-negative integer number of units`)
}
