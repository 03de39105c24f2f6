import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Ledger, type Balance, type Hold } from './ledger.ts'
import { auditLedger } from '../observability/ledger-audit.ts'
import { LedgerLog, type LedgerEntry, type LedgerAccount } from './ledger-log.ts'

const purpose = (requestId: string) => ({ requestId, model: 'o3-mini', tokens: 7 }) as const

function openAccount(startUnits: number, log: LedgerLog): { ledger: Ledger; account: LedgerAccount } {
  const account = log.addAccount('account-1')
  return { ledger: new Ledger(startUnits, { log, account }), account }
}

const entriesOf = (log: LedgerLog, account: LedgerAccount) =>
  [...log.entries()].filter((entry) => entry.account === account)

test('logs one entry for each hold and one for its end, but no entry for a hold of 0 units', () => {
  const log = new LedgerLog(() => 1000)
  const { ledger, account } = openAccount(100, log)
  ledger.settle(ledger.hold(60, purpose('req-1')) as Hold, 25, 5)
  ledger.settle(ledger.hold(0, purpose('req-2')) as Hold, 0)
  ledger.settle(ledger.hold(30, purpose('req-3')) as Hold, 0)
  expect(ledger.hold(80, purpose('req-4'))).toBeUndefined()
  const base = { account, unixMs: 1000 }
  expect(entriesOf(log, account)).toEqual([
    { ...base, sequence: 1, kind: 'hold', purpose: purpose('req-1'), heldUnits: 60 },
    {
      ...base,
      sequence: 2,
      kind: 'settle',
      purpose: purpose('req-1'),
      hold: 1,
      chargedUnits: 25,
      releasedUnits: 35,
      usedTokens: 5,
    },
    { ...base, sequence: 3, kind: 'hold', purpose: purpose('req-3'), heldUnits: 30 },
    {
      ...base,
      sequence: 4,
      kind: 'release',
      purpose: purpose('req-3'),
      hold: 3,
      chargedUnits: 0,
      releasedUnits: 30,
      usedTokens: 0,
    },
  ])
})

test('yields the entries after a sequence number, and continues the numbering after a reset', () => {
  const log = new LedgerLog(() => 0, 3)
  const { ledger, account } = openAccount(100, log)
  const numbers = (after?: number) => [...log.entries(after)].map(({ sequence }) => sequence)
  for (let count = 0; count < 4; count += 1) ledger.hold(1, purpose('req'))
  expect([numbers(), numbers(0), numbers(2), numbers(3), numbers(4), numbers(9)]).toEqual([
    [2, 3, 4],
    [2, 3, 4],
    [3, 4],
    [4],
    [],
    [],
  ])
  log.clear()
  expect(numbers()).toEqual([])
  ledger.hold(1, purpose('req'))
  expect(numbers()).toEqual([5])
  expect(account.dropped.entries).toBe(1)
})

const step = fc.record({
  kind: fc.constantFrom('hold', 'end', 'hold', 'end', 'adjust'),
  which: fc.nat(),
  units: fc.nat(50),
})

test('audits every history successfully, even after entries were dropped', () => {
  const capacities = fc.integer({ min: 1, max: 40 })
  fc.assert(
    fc.property(capacities, fc.array(step, { maxLength: 120, size: 'max' }), (capacity, steps) => {
      const log = new LedgerLog(() => 0, capacity)
      const accounts = [openAccount(500, log), openAccount(90, log)]
      const open: { readonly ledger: Ledger; readonly hold: Hold }[] = []
      let written = 0
      for (const { kind, which, units } of steps) {
        if (kind === 'adjust') {
          const account = accounts[which % 2] as { ledger: Ledger }
          const change = which % 3 === 0 ? -units : units
          if (account.ledger.adjust(change) && change !== 0) written += 1
        } else if (kind === 'hold') {
          const { ledger } = accounts[which % 2] as { ledger: Ledger }
          const hold = ledger.hold(units, purpose('req'))
          if (hold === undefined) continue
          open.push({ ledger, hold })
          written += hold.units > 0 ? 1 : 0
        } else if (open.length > 0) {
          const [{ ledger, hold }] = open.splice(which % open.length, 1) as [{ ledger: Ledger; hold: Hold }]
          ledger.settle(hold, Math.min(units, hold.units))
          written += hold.units > 0 ? 1 : 0
        }
      }
      const auditAll = () =>
        accounts.map(({ ledger, account }) => auditLedger(ledger.balance(), account, entriesOf(log, account)))
      const audits = auditAll()
      expect(auditAll()).toEqual(audits) // A second audit must return the same result.
      expect(audits.map(({ violations }) => violations)).toEqual([[], []])
      expect([...log.entries()]).toHaveLength(Math.min(written, capacity))
      expect(audits.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(Math.max(0, written - capacity))
      expect(audits.map(({ openHoldUnits }) => openHoldUnits)).toEqual(
        accounts.map((account) =>
          open.reduce((sum, { ledger, hold }) => sum + (ledger === account.ledger ? hold.units : 0), 0),
        ),
      )
    }),
    { numRuns: process.env['TOUCHSTONE_LONG'] === '1' ? 5000 : 150 },
  )
})

const balance: Balance = { startUnits: 100, availableUnits: 45, heldUnits: 30, chargedUnits: 25 }

/** Creates a ledger in which a hold of 60 units was settled with 25, and a hold of 30 units is open. */
function history(): { account: LedgerAccount; entries: LedgerEntry[] } {
  const log = new LedgerLog(() => 0)
  const { ledger, account } = openAccount(100, log)
  ledger.settle(ledger.hold(60, purpose('req-1')) as Hold, 25)
  ledger.hold(30, purpose('req-2'))
  return { account, entries: entriesOf(log, account) }
}

test.each<[string, Partial<Balance>, (entries: LedgerEntry[]) => LedgerEntry[], string]>([
  ['an excessive charge', { chargedUnits: 26 }, (entries) => entries, 'Charged: 26 units by the balance, 25'],
  [
    'an addition without an entry',
    { addedUnits: 1, availableUnits: 46 },
    (entries) => entries,
    'Added: 1 units by the balance, 0',
  ],
  [
    'an addition that is missing in the balance',
    {},
    ([first, ...rest]) => {
      const { account, sequence, unixMs } = first as LedgerEntry
      return [{ kind: 'adjust', account, sequence, unixMs, addedUnits: 5 }, first, ...rest] as LedgerEntry[]
    },
    'Available: 45 units by the balance, 50',
  ],
  ['a hold that is missing in the balance', { heldUnits: 0 }, (entries) => entries, 'Held: 0 units by the balance, 30'],
  [
    'available credits without an entry',
    { availableUnits: 46 },
    (entries) => entries,
    'Available: 46 units by the balance, 45',
  ],
  ['an overdrawn account', { startUnits: 50, availableUnits: -5 }, (entries) => entries, 'which is negative'],
  ['a missing entry', {}, (entries) => entries.slice(1), 'Entry 2 ends hold 1, which is not open.'],
  ['a hold that ends twice', {}, ([hold, end, ...rest]) => [hold, end, end, ...rest] as LedgerEntry[], 'not open'],
  [
    'a settlement whose sum differs from the hold',
    {},
    (entries) => entries.map((entry) => (entry.kind === 'settle' ? { ...entry, releasedUnits: 36 } : entry)),
    'of 60 units with 25 charged and 36 released',
  ],
  [
    'a settlement that charges more than the hold',
    {},
    (entries) =>
      entries.map((entry) => (entry.kind === 'settle' ? { ...entry, chargedUnits: 70, releasedUnits: -10 } : entry)),
    'of 60 units with 70 charged and -10 released',
  ],
])('an audit detects %s', (_what, wrong, tamper, sentence) => {
  const { account, entries } = history()
  expect(auditLedger(balance, account, entries)).toMatchObject({
    holds: true,
    violations: [],
    openHolds: 1,
    entries: 3,
  })
  const found = auditLedger({ ...balance, ...wrong }, account, tamper(entries))
  expect(found.holds).toBe(false)
  expect(found.violations.join(' ')).toContain(sentence)
})
