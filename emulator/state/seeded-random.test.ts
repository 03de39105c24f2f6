import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createSeededRandom } from './seeded-random.ts'
import { RequestCounter } from './request-counter.ts'

test('depends only on seed, fingerprint and sequence number', () => {
  const first = createSeededRandom(1, 'request', 0).hexDigits(32)
  expect(createSeededRandom(1, 'request', 0).hexDigits(32)).toBe(first)
  expect(createSeededRandom(2, 'request', 0).hexDigits(32)).not.toBe(first)
  expect(createSeededRandom(1, 'request2', 0).hexDigits(32)).not.toBe(first)
  expect(createSeededRandom(1, 'request', 1).hexDigits(32)).not.toBe(first)
})

test('samples log-normal numbers with the given median and 99th percentile', () => {
  const draw = createSeededRandom(1, 'lengths', 0)
  const drawn = Array.from({ length: 100_000 }, () => draw.logNormal(60, 600)).toSorted((a, b) => a - b)
  // At this sample size, the standard errors are 0.5 % and 2.4 %. The seed is fixed, so the values do not vary between
  // runs.
  expect(Math.abs((drawn[50_000] ?? 0) / 60 - 1)).toBeLessThan(0.02)
  expect(Math.abs((drawn[99_000] ?? 0) / 600 - 1)).toBeLessThan(0.05)
})

test('counts requests per account, and drops the least recently used counter', () => {
  const ordinals = new RequestCounter(2)
  expect([ordinals.next('a', 'x'), ordinals.next('a', 'x'), ordinals.next('b', 'x')]).toEqual([0, 1, 0])
  expect(ordinals.next('a', 'x')).toBe(2)
  ordinals.next('a', 'y') // The third pair exceeds the capacity and drops (b, x).
  expect(ordinals.next('a', 'x')).toBe(3)
  expect(ordinals.next('b', 'x')).toBe(0)
})

test('keeps no text of long requests in its counters', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc') // The V8 flag adds `gc` only to new contexts.
  const ordinals = new RequestCounter()
  const long = (index: number) => Buffer.alloc(1e6, `request ${index} `).toString('latin1')
  const usedBytes = () => (collect(), process.memoryUsage().heapUsed)
  const before = usedBytes()
  for (let index = 0; index < 20; index += 1) ordinals.next('a', long(index))
  expect(usedBytes() - before).toBeLessThan(4e6)
  expect([ordinals.next('a', long(7)), ordinals.next('a', long(20)), ordinals.next('b', long(7))]).toEqual([1, 0, 0])
})
