import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatUnits, MAX_CREDITS, parseCredits } from './credits.ts'

test.each([
  ['12.5', 125_000],
  ['0', 0],
  ['0.0001', 1],
  ['1000000000', 10_000_000_000_000],
  ['007', 70_000],
])('parses and formats %s credits as %d units', (credits, units) => {
  expect(parseCredits(credits)).toBe(units)
})

test.each(['', '-1', '1.00001', '.5', '1.', '1e3', ' 1', 'NaN', '100000000000.0001', '0x10'])(
  'rejects the number of credits %j',
  (text) => {
    expect(parseCredits(text)).toBeUndefined()
  },
)

test('parses formatted units to the same units', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: MAX_CREDITS * 10_000 }), (units) => {
      expect(parseCredits(formatUnits(units))).toBe(units)
    }),
  )
})
