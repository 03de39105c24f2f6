import { expect, test } from 'vitest'
import { chooseAbortAfterEvents, chooseOperation } from './choose-operation.ts'

const INDICES = Array.from({ length: 10_000 }, (_, index) => index)

test('chooses operations in proportion to their weights', () => {
  const counts: Record<string, number> = {}
  for (const index of INDICES) {
    const name = chooseOperation({ weights: { chat: 1, speech: 3, images: 0 }, seed: 1 }, index)
    counts[name] = (counts[name] ?? 0) + 1
  }
  expect(Object.keys(counts).sort()).toEqual(['chat', 'speech'])
  expect((counts['speech'] ?? 0) / INDICES.length).toBeCloseTo(0.75, 1)
})

test('chooses every number of events before an abort from 1 to the maximum', () => {
  const leaving = new Set(INDICES.map((index) => chooseAbortAfterEvents(5, 1, index)))
  expect([...leaving].sort()).toEqual([1, 2, 3, 4, 5])
})
