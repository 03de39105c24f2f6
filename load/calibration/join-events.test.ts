import { expect, test } from 'vitest'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'
import { calculateDifferences, summarizeDifferences, joinEvents } from './join-events.ts'

const stream = (requestId: string | null, atMs: readonly number[]): EventsResult => ({
  operation: 'chat-stream',
  requestId,
  atMs,
  content: [1, 2, 3],
  e2eMs: (atMs.at(-1) ?? 0) + 0.5,
  bodySha256: 'whole',
})

/** Six events: the role, three pieces of text, the finish reason and [DONE]. */
const WRITTEN = { requestId: 'a', writtenMs: [100, 100, 120, 140, 140, 140] }

test('matches the times of each event by request id', () => {
  const { differences, joined, unjoined } = joinEvents([stream('a', [101, 101, 123, 142, 142, 143])], [WRITTEN])
  expect({ joined, unjoined }).toEqual({ joined: 1, unjoined: 0 })
  expect(calculateDifferences(differences, 'ttftMs')).toEqual([1])
  expect(calculateDifferences(differences, 'gapMs')).toEqual([2, -1])
  expect(calculateDifferences(differences, 'tpotMs')).toEqual([0.5])
  expect(calculateDifferences(differences, 'e2eMs')).toEqual([3.5])
})

test('ignores responses without a record, without an id, or with another number of events', () => {
  const lines = [stream('b', [1, 2, 3, 4, 5, 6]), stream(null, [1, 2, 3, 4, 5, 6]), stream('a', [1, 2, 3, 4, 5])]
  expect(joinEvents(lines, [WRITTEN])).toMatchObject({ joined: 0, unjoined: 3 })
})

test('matches an aborted stream up to its last event, without its end', () => {
  const left = { ...stream('a', [101, 101, 123]), content: [1, 2], bodySha256: null }
  const { differences, joined } = joinEvents([left], [WRITTEN])
  expect(joined).toBe(1)
  expect(calculateDifferences(differences, 'gapMs')).toEqual([2])
  expect(calculateDifferences(differences, 'e2eMs')).toEqual([])
})

test('matches a response that is not streamed by the time of its end', () => {
  const whole: EventsResult = {
    operation: 'images',
    requestId: 'i',
    atMs: [],
    content: [],
    e2eMs: 12,
    bodySha256: 'whole',
  }
  const { differences } = joinEvents([whole], [{ requestId: 'i', writtenMs: [10] }])
  expect(calculateDifferences(differences, 'e2eMs')).toEqual([2])
  expect(calculateDifferences(differences, 'ttftMs')).toEqual([])
})

test('computes the bias as the mean of differences, and percentiles of their absolute values', () => {
  const values = [...Array.from({ length: 98 }, () => 1), -5, -9]
  expect(summarizeDifferences(values)).toEqual({ n: 100, biasMs: 0.84, p50Ms: 1, p99Ms: 5 })
  expect(summarizeDifferences([])).toBeUndefined()
})
