import { expect, test } from 'vitest'
import type { LatencyDistribution } from '../distribution.ts'
import { createRandomGenerator } from '../testing/sample-load.ts'
import { estimatePercentile, findRankBelow, estimateProportion } from './confidence.ts'

/** Creates log-normal samples with a median of 100 ms. */
function sampleOf(n: number, seed: number): LatencyDistribution {
  const random = createRandomGenerator(seed)
  const values = Array.from({ length: n }, () => 100 * Math.exp(0.3 * random())).toSorted((a, b) => a - b)
  return { n, steps: values.map((valueMs, index) => ({ valueMs, upTo: index + 1 })) }
}

test('calculates the ranks of an interval from the binomial distribution', () => {
  // Calculated by hand: the lowest of 8 samples is above the median with a probability of (1/2)^8 = 0.39 %, the lowest
  // of 7 samples with a probability of 0.78 %. The limit is 0.5 %.
  expect(findRankBelow(8, 0.5)).toBe(1)
  expect(findRankBelow(7, 0.5)).toBe(0)
  // P(Bin(100, 1/2) <= 36) = 0.33 %, P(Bin(100, 1/2) <= 37) = 0.60 %.
  expect(findRankBelow(100, 0.5)).toBe(37)
})

test('the normal approximation agrees with the exact sum where it replaces it', () => {
  for (const share of [0.5, 0.9, 0.99, 0.01]) {
    const exact = findRankBelow(20_000, share)
    expect(Math.abs(findRankBelow(20_001, share) - exact)).toBeLessThanOrEqual(6)
  }
})

test('returns no interval for too few samples: a p99 needs more than 500', () => {
  const intervalOf = (n: number) => estimatePercentile(sampleOf(n, 1), 0.99)
  expect(intervalOf(527)).toBeUndefined()
  expect(intervalOf(528)).toBeDefined()
})

test('returns no interval without independent values', () => {
  expect(estimatePercentile(sampleOf(5000, 1), 0.5, 0)).toBeUndefined()
})

test('the confidence interval contains the true percentile in about 99 of 100 runs', () => {
  const runs = 1000
  const trueMs = 100 * Math.exp(0.3 * 1.2815515655446004)
  let held = 0
  for (let seed = 1; seed <= runs; seed += 1) {
    const interval = estimatePercentile(sampleOf(300, seed), 0.9)
    if (interval !== undefined && interval.low <= trueMs && trueMs <= interval.high) held += 1
  }
  expect(held / runs).toBeGreaterThan(0.975)
  // A few intervals must miss the value. If none did, they would be too wide to be useful.
  expect(held).toBeLessThan(runs)
})

test('the interval of samples in groups contains the true percentile, if a group counts as one value', () => {
  const runs = 400
  const trueMs = 100 * Math.exp(0.3 * 1.2815515655446004)
  const heldBy = (independent: number | undefined) => {
    let held = 0
    for (let seed = 1; seed <= runs; seed += 1) {
      // 300 streams with 20 equal inter-token latencies each.
      const { steps } = sampleOf(300, seed)
      const grouped = { n: 6000, steps: steps.map(({ valueMs, upTo }) => ({ valueMs, upTo: 20 * upTo })) }
      const interval = estimatePercentile(grouped, 0.9, independent)
      if (interval !== undefined && interval.low <= trueMs && trueMs <= interval.high) held += 1
    }
    return held / runs
  }
  expect(heldBy(300)).toBeGreaterThan(0.975)
  expect(heldBy(undefined)).toBeLessThan(0.6)
})

test('returns an interval for a share of zero events', () => {
  expect(estimateProportion(0, 0)).toBeUndefined()
  const none = estimateProportion(0, 100)
  expect(none?.low).toBeCloseTo(0)
  expect(none?.high).toBeCloseTo(0.0622, 3)
})
