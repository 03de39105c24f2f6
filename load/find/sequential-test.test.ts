import { expect, test } from 'vitest'
import { createSeededRandom } from '../../scenarios/lib/seeded-random.ts'
import { countBreaking, countHolding, countNeeded } from './sequential-test.ts'

const ALLOWED = 0.01

/** Returns the share of 1000 simulated runs with a decision, each evaluated after every one of 2000 samples. */
function shareOfDecisions(share: number, isDecided: (n: number, above: number) => boolean): number {
  const runs = Array.from({ length: 1000 }, (_, run) => {
    let above = 0
    for (let n = 1; n <= 2000; n += 1) {
      if (createSeededRandom(run + 1, 'sample', n) < share) above += 1
      if (isDecided(n, above)) return 1
    }
    return 0
  })
  return runs.reduce<number>((sum, decided) => sum + decided, 0) / runs.length
}

const breaks = (n: number, above: number) => above >= countBreaking(n, ALLOWED)
const holds = (n: number, above: number) => above <= countHolding(n, ALLOWED)

test('decides wrongly in at most one of a hundred runs, although it is evaluated after every sample', () => {
  expect(shareOfDecisions(ALLOWED, breaks)).toBeLessThanOrEqual(0.015)
  expect(shareOfDecisions(ALLOWED, holds)).toBeLessThanOrEqual(0.015)
})

test('decides clear cases', () => {
  expect(shareOfDecisions(0.04, breaks)).toBeGreaterThan(0.99)
  expect(shareOfDecisions(0.001, holds)).toBeGreaterThan(0.99)
})

test('needs as many samples as suffice with one of them above the limit', () => {
  for (const allowed of [0.5, 0.1, 0.05, 0.01]) {
    const needed = countNeeded(allowed)
    expect(countHolding(needed, allowed)).toBeGreaterThanOrEqual(1)
    expect(countHolding(needed - 1, allowed)).toBeLessThan(1)
  }
})

test('breaks at the first failure if none is allowed', () => {
  expect(countBreaking(1000, 0)).toBe(1)
})
