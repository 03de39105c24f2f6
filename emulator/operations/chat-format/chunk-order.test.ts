import { expect, test } from 'vitest'
import { createChunkOrder } from './chunk-order.ts'

test('counts the tokens after each chunk of several choices in linear time', () => {
  let reads = 0
  const chunks = 1000
  const getStart = (chunk: number) => {
    reads += 1
    return 2 * chunk
  }
  const order = createChunkOrder([1, 2, 3].map(() => ({ chunks, getStart })))
  const counts = Array.from({ length: order.chunks }, (_, index) => order.countTokens(index + 1))
  expect(counts).toEqual(Array.from({ length: 3 * chunks }, (_, index) => 2 * (index + 1)))
  expect(reads).toBeLessThanOrEqual(2 * order.chunks)
})
