import type { Balance } from '../state/ledger.ts'
import { addEntryToTotals, type LedgerEntry, type LedgerAccount, type LedgerTotals } from '../state/ledger-log.ts'

/** Result of the audit of one account, in units of 0.0001 credit. */
export interface LedgerAudit {
  /** True if start + added − charged = available + open holds, and if the balance matches the entries. */
  readonly holds: boolean
  /** One sentence for each violation. */
  readonly violations: readonly string[]
  /** Credits added after the start minus credits removed, according to the ledger log. */
  readonly addedUnits: number
  /** Sum of the charges according to the ledger log, not to the balance. */
  readonly chargedUnits: number
  readonly openHoldUnits: number
  readonly openHolds: number
  /** Number of ledger entries checked individually. */
  readonly entries: number
  /** Number of older entries that the ledger log has dropped. The audit knows only their totals. */
  readonly dropped: number
}

/** Recomputes a balance from the ledger entries of its account, and compares the result with the balance. */
export function auditLedger(balance: Balance, account: LedgerAccount, entries: Iterable<LedgerEntry>): LedgerAudit {
  const sums: LedgerTotals = {
    addedUnits: account.dropped.addedUnits,
    chargedUnits: account.dropped.chargedUnits,
    openHolds: new Map(account.dropped.openHolds),
  }
  const violations: string[] = []
  let count = 0
  for (const entry of entries) {
    count += 1
    const violation = addEntryToTotals(sums, entry)
    if (violation !== undefined) violations.push(violation)
  }
  const openHoldUnits = [...sums.openHolds.values()].reduce((total, units) => total + units, 0)
  const { addedUnits, chargedUnits } = sums
  const { startUnits, availableUnits } = balance
  const compare = (label: string, units: number, byEntries: number) => {
    if (units !== byEntries) violations.push(`${label}: ${units} units by the balance, ${byEntries} by the entries.`)
  }
  compare('Added', balance.addedUnits ?? 0, addedUnits)
  compare('Charged', balance.chargedUnits, chargedUnits)
  compare('Held', balance.heldUnits, openHoldUnits)
  compare('Available', availableUnits, startUnits + addedUnits - chargedUnits - openHoldUnits)
  if (availableUnits < 0) violations.push(`Available: ${availableUnits} units, which is negative.`)
  return {
    holds: violations.length === 0,
    violations,
    addedUnits,
    chargedUnits,
    openHoldUnits,
    openHolds: sums.openHolds.size,
    entries: count,
    dropped: account.dropped.entries,
  }
}
