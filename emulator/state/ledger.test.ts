import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LedgerLog } from './ledger-log.ts'
import { Ledger, MAX_AVAILABLE_UNITS, type Hold } from './ledger.ts'

test('rejects a hold that exceeds the available credits, without any change', () => {
  const ledger = new Ledger(100)
  ledger.hold(60)
  const before = ledger.balance()
  expect(ledger.hold(41)).toBeUndefined()
  expect(ledger.balance()).toEqual(before)
  expect(ledger.hold(40)).toBeDefined()
})

test('charges the used units and releases the remaining units', () => {
  const ledger = new Ledger(100)
  const hold = ledger.hold(60) as Hold
  ledger.settle(hold, 25)
  expect(ledger.balance()).toEqual({ startUnits: 100, availableUnits: 75, heldUnits: 0, chargedUnits: 25 })
})

test('settles a hold only once, only in its ledger, and for at most its units', () => {
  const ledger = new Ledger(100)
  const hold = ledger.hold(10) as Hold
  expect(() => ledger.settle(hold, 11)).toThrow('cannot charge 11 units for a hold of 10')
  ledger.settle(hold, 10)
  expect(() => ledger.settle(hold, 0)).toThrow('already settled')
  expect(() => ledger.settle(new Ledger(10).hold(1) as Hold, 0)).toThrow('another account')
  expect(ledger.balance().chargedUnits).toBe(10)
})

test.each([-1, 0.5, Number.NaN, 2 ** 53])('rejects %d as a number of units', (units) => {
  const ledger = new Ledger(100)
  const hold = ledger.hold(10) as Hold
  for (const act of [() => new Ledger(units), () => ledger.hold(units), () => ledger.settle(hold, units)])
    expect(act).toThrow('is not a non-negative integer number of units')
  expect(ledger.balance()).toEqual({ startUnits: 100, availableUnits: 90, heldUnits: 10, chargedUnits: 0 })
})

test('logs a hold with a purpose if there is a log', () => {
  const purpose = { requestId: 'req-1', model: 'o3-mini', tokens: 7 } as const
  expect(new Ledger(100).hold(10, purpose)).toMatchObject({ units: 10, entry: undefined })
  const log = new LedgerLog(() => 0)
  const ledger = new Ledger(100, { log, account: log.addAccount('account-1') })
  ledger.settle(ledger.hold(10) as Hold, 5)
  expect([...log.entries()]).toEqual([])
  ledger.settle(ledger.hold(10, purpose) as Hold, 5)
  expect([...log.entries()].map(({ kind }) => kind)).toEqual(['hold', 'settle'])
})

test('adds and removes available credits, but never held credits', () => {
  const ledger = new Ledger(100)
  const hold = ledger.hold(60) as Hold
  expect(ledger.adjust(10)).toBe(true)
  expect(ledger.balance()).toEqual({
    startUnits: 100,
    addedUnits: 10,
    availableUnits: 50,
    heldUnits: 60,
    chargedUnits: 0,
  })
  expect(ledger.hold(51)).toBeUndefined()
  expect([ledger.adjust(-51), ledger.adjust(-50), ledger.adjust(-1)]).toEqual([false, true, false])
  expect(ledger.balance()).toEqual({
    startUnits: 100,
    addedUnits: -40,
    availableUnits: 0,
    heldUnits: 60,
    chargedUnits: 0,
  })
  ledger.settle(hold, 60)
  expect(ledger.adjust(40)).toBe(true)
  expect(ledger.balance()).toEqual({ startUnits: 100, availableUnits: 40, heldUnits: 0, chargedUnits: 60 })
})

test('rejects an adjustment that would exceed the maximum of available credits', () => {
  expect(MAX_AVAILABLE_UNITS).toBe(10 ** 15)
  const ledger = new Ledger(1)
  expect([ledger.adjust(MAX_AVAILABLE_UNITS), ledger.adjust(MAX_AVAILABLE_UNITS - 1), ledger.adjust(1)]).toEqual([
    false,
    true,
    false,
  ])
  for (const units of [0.5, Number.NaN, 2 ** 53]) {
    expect(() => ledger.adjust(units)).toThrow(`${units} is not an integer number of units`)
  }
  expect(ledger.balance().availableUnits).toBe(MAX_AVAILABLE_UNITS)
})

test('logs an adjustment if there is a log, unless it changes nothing', () => {
  const log = new LedgerLog(() => 1000)
  const account = log.addAccount('account-1')
  const ledger = new Ledger(100, { log, account })
  ledger.adjust(0)
  ledger.adjust(-101)
  ledger.adjust(5)
  ledger.adjust(-7)
  expect([...log.entries()]).toEqual([
    { kind: 'adjust', sequence: 1, account, unixMs: 1000, addedUnits: 5 },
    { kind: 'adjust', sequence: 2, account, unixMs: 1000, addedUnits: -7 },
  ])
})

// In each step, one of several concurrent requests starts a hold, settles a part of it, or aborts.
const step = fc.oneof(
  fc.record({ kind: fc.constant('hold' as const), units: fc.nat(400) }),
  fc.record({
    kind: fc.constant('settle' as const),
    which: fc.nat(),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('abort' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('adjust' as const), units: fc.integer({ min: -300, max: 300 }) }),
)

test('keeps its sums consistent for every order of holds, settlements, aborts and adjustments', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.array(step, { maxLength: 200 }), (startUnits, steps) => {
      const ledger = new Ledger(startUnits)
      const open: Hold[] = []
      let charged = 0 // `open`, `charged` and `added` are an independent, simple model of the ledger.
      let added = 0
      for (const step of steps) {
        if (step.kind === 'hold') {
          const held = open.reduce((sum, hold) => sum + hold.units, 0)
          const hold = ledger.hold(step.units)
          expect(hold !== undefined).toBe(step.units <= startUnits + added - charged - held)
          if (hold !== undefined) open.push(hold)
        } else if (step.kind === 'adjust') {
          const held = open.reduce((sum, hold) => sum + hold.units, 0)
          const isPossible = startUnits + added - charged - held + step.units >= 0
          expect(ledger.adjust(step.units)).toBe(isPossible)
          added += isPossible ? step.units : 0
        } else if (open.length > 0) {
          const [hold] = open.splice(step.which % open.length, 1) as [Hold]
          const used = step.kind === 'abort' ? 0 : Math.floor(hold.units * step.share)
          ledger.settle(hold, used)
          charged += used
        }
        const heldUnits = open.reduce((sum, hold) => sum + hold.units, 0)
        const availableUnits = startUnits + added - charged - heldUnits
        const addedUnits = added === 0 ? undefined : added
        expect(ledger.balance()).toEqual({ startUnits, addedUnits, availableUnits, heldUnits, chargedUnits: charged })
        expect(availableUnits).toBeGreaterThanOrEqual(0)
      }
    }),
    { numRuns: process.env['TOUCHSTONE_LONG'] === '1' ? 10_000 : 250 },
  )
})
