import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeededRandom } from './seeded-random.ts'

test('a seeded number lies in [0, 1), and is the same for the same arguments', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 40 }), fc.string(), fc.nat(), (seed, purpose, index) => {
      const drawn = createSeededRandom(seed, purpose, index)
      expect(drawn).toBeGreaterThanOrEqual(0)
      expect(drawn).toBeLessThan(1)
      expect(createSeededRandom(seed, purpose, index)).toBe(drawn)
    }),
  )
})

test.each([
  ['indices', (at: number) => createSeededRandom(1, 'x', at)],
  ['seeds', (at: number) => createSeededRandom(at, 'x', 1)],
  ['seeds beyond 32 bits', (at: number) => createSeededRandom(at * 2 ** 32, 'x', 1)],
])('distributes neighbouring %s evenly: chi-square of 100 bins', (_, drawAt) => {
  const bins = Array.from({ length: 100 }, () => 0)
  for (let at = 0; at < 100_000; at += 1) {
    const bin = Math.floor(drawAt(at) * 100)
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  const chiSquare = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
  // With 99 degrees of freedom, chi-square is outside 53 to 160 in one of ten thousand cases.
  expect(chiSquare).toBeGreaterThan(53)
  expect(chiSquare).toBeLessThan(160)
})

test('seeded numbers are independent for different purposes', () => {
  const same = Array.from({ length: 1000 }, (_, at) => at).filter(
    (at) => createSeededRandom(1, 'a', at) === createSeededRandom(1, 'b', at),
  )
  expect(same).toEqual([])
})
