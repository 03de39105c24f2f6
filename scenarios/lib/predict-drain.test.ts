import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  calculateAffordableTokens,
  type ChargedTokens,
  predictRejectedIndex,
  calculateUnitsLeft,
} from './predict-drain.ts'

const PRICE = 4

/**
 * Simulates a service that holds the maximum cost of each request (section 5). Returns the token counts of the
 * responses before the first rejection.
 */
function spend(
  balanceUnits: number,
  maxTokens: number,
  prompt: number,
  completions: readonly number[],
): ChargedTokens[] {
  const paid: ChargedTokens[] = []
  let left = balanceUnits
  for (const wanted of completions) {
    if (left < (prompt + maxTokens) * PRICE) return paid
    const completion = Math.min(wanted, maxTokens)
    paid.push({ prompt, completion })
    left -= (prompt + completion) * PRICE
  }
  return paid
}

describe('the predicted rejection of a drained account', () => {
  test('matches a conforming service, regardless of the cost of responses', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20_000 }),
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 50 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 120 })),
        (balanceUnits, maxTokens, prompt, responses) => {
          const paid = spend(balanceUnits, maxTokens, prompt, [...responses.take(6000)])
          const drain = { balanceUnits, unitsPerToken: PRICE, maxTokens }
          for (const served of paid.keys()) {
            if (served > 0) expect(predictRejectedIndex(drain, paid.slice(0, served))).toBe(null)
          }
          expect(predictRejectedIndex(drain, paid)).toBe(paid.length === 0 ? undefined : paid.length)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('the predicted rejection is exact to the unit', () => {
    const paid = [{ prompt: 10, completion: 5 }]
    // A charge of 60 units leaves 80 units, exactly the maximum cost of one more request.
    expect(predictRejectedIndex({ balanceUnits: 140, unitsPerToken: PRICE, maxTokens: 10 }, paid)).toBe(null)
    expect(predictRejectedIndex({ balanceUnits: 139, unitsPerToken: PRICE, maxTokens: 10 }, paid)).toBe(1)
  })

  test('the predicted rejection is an earlier request if the target served a request that the balance did not cover', () => {
    const paid = [
      { prompt: 10, completion: 5 },
      { prompt: 10, completion: 5 },
      { prompt: 10, completion: 5 },
    ]
    expect(predictRejectedIndex({ balanceUnits: 139, unitsPerToken: PRICE, maxTokens: 10 }, paid)).toBe(1)
  })
})

test('converts the remaining balance to whole tokens', () => {
  const drain = { balanceUnits: 139, unitsPerToken: PRICE, maxTokens: 10 }
  const paid = [{ prompt: 10, completion: 5 }]
  expect(calculateUnitsLeft(drain, paid)).toBe(79)
  expect(calculateAffordableTokens(drain, paid)).toBe(9)
})
