import { expect, test } from 'vitest'
import { calculateMaxSpentUnits } from './bound-spent-units.ts'

const RUN = { countedUnits: 300, maxUnits: 1000, promptTokens: 50, sent: 10, failed: 0 }

test.each([
  ['reported by usage', {}, 300],
  ['unknown for failed requests', { failed: 3 }, 600],
  ['unknown without usage', { promptTokens: 0, countedUnits: 100 }, 1000],
  ['zero without requests', { promptTokens: 0, sent: 0 }, 0],
])('bounds a cost that is %s', (_name, changes, units) => {
  expect(calculateMaxSpentUnits({ ...RUN, ...changes })).toBe(units)
})
