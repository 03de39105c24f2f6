import { expect, test } from 'vitest'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'
import { type TimingDifferences, joinEvents } from './join-events.ts'

const stream = (requestId: string | null, atMs: readonly number[]): EventsResult => ({
  operation: 'chat-stream',
  requestId,
  atMs,
  tokens: [1, 2, 3],
  firstText: 1,
  e2eMs: (atMs.at(-1) ?? 0) + 0.5,
  isComplete: true,
})

const errorsOf = (differences: TimingDifferences, metric: string) =>
  differences
    .filter((compared) => compared.metric === metric)
    .map(({ measuredMs, recordedMs }) => measuredMs - recordedMs)

/** Six events: the role, three pieces of text, the finish reason and [DONE]. */
const WRITTEN = { requestId: 'a', writtenMs: [100, 100, 120, 140, 140, 140] }

test('matches the times of each event by request ID', () => {
  const { differences, joined, unjoined } = joinEvents([stream('a', [101, 101, 123, 142, 142, 143])], [WRITTEN])
  expect({ joined, unjoined }).toEqual({ joined: 1, unjoined: 0 })
  expect(errorsOf(differences, 'ttftMs')).toEqual([1])
  expect(errorsOf(differences, 'textTtftMs')).toEqual([3])
  expect(errorsOf(differences, 'itlMs')).toEqual([2, -1])
  expect(errorsOf(differences, 'tpotMs')).toEqual([0.5])
  expect(errorsOf(differences, 'e2eMs')).toEqual([3.5])
})

test('ignores responses without a record, without an ID, or with a different number of events than the record', () => {
  const lines = [stream('b', [1, 2, 3, 4, 5, 6]), stream(null, [1, 2, 3, 4, 5, 6]), stream('a', [1, 2, 3, 4, 5])]
  expect(joinEvents(lines, [WRITTEN])).toMatchObject({ joined: 0, unjoined: 3 })
})

test('matches an aborted stream up to its last event, without its end', () => {
  const aborted = { ...stream('a', [101, 101, 123]), tokens: [1, 2], isComplete: false }
  const { differences, joined } = joinEvents([aborted], [WRITTEN])
  expect(joined).toBe(1)
  expect(errorsOf(differences, 'itlMs')).toEqual([2])
  expect(errorsOf(differences, 'e2eMs')).toEqual([])
})

test('matches a response that is not streamed by the time of its end', () => {
  const whole: EventsResult = {
    operation: 'images',
    requestId: 'i',
    atMs: [],
    tokens: [],
    firstText: -1,
    e2eMs: 12,
    isComplete: true,
  }
  const { differences } = joinEvents([whole], [{ requestId: 'i', writtenMs: [10] }])
  expect(errorsOf(differences, 'e2eMs')).toEqual([2])
  expect(errorsOf(differences, 'ttftMs')).toEqual([])
})
