import { expect, test } from 'vitest'
import { MODELS } from '../../contract/facts.ts'
import { parseCredits, getUnitsPerToken } from '../../scenarios/lib/credits.ts'
import { calculateTokenUnits, formatUnits } from './units.ts'

test('reads each price of the document as a whole number of units', () => {
  const units = MODELS.map(({ id }) => getUnitsPerToken(id) ?? Number.NaN)
  expect(units.every((price) => Number.isSafeInteger(price) && price > 0)).toBe(true)
  expect(units.map(formatUnits)).toEqual(MODELS.map(({ creditsPerToken }) => creditsPerToken))
})

test.each([
  [0, '0'],
  [1, '0.0001'],
  [12_340, '1.234'],
  [10_000_000_000_000, '1000000000'],
  [-5, '-0.0005'],
])('formats %d units as %s credits', (units, credits) => {
  expect(formatUnits(units)).toBe(credits)
  if (units >= 0) expect(parseCredits(credits)).toBe(units)
})

test('charges prompt and completion tokens at the price of their model', () => {
  const tokens = {
    'o3-mini': { prompt: 3, completion: 4 },
    'vendora-v4-flash': { prompt: 1, completion: 0 },
    own: { prompt: 9, completion: 9 },
  }
  expect(calculateTokenUnits(tokens)).toEqual({ units: 7 * 40 + 4, unlisted: ['own'] })
})
