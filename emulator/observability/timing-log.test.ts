import { expect, test } from 'vitest'
import { summarizeTimings, TimingLog, type TimingLogEntry } from './timing-log.ts'

function respond(requestId: string, plannedMs: number[], writtenMs: number[]): TimingLogEntry {
  return { requestId, operation: 'chat', inFlight: 1, plannedMs, writtenMs }
}

test('computes nearest-rank percentiles of the write delay of first, all and last events', () => {
  const results = Array.from({ length: 100 }, (_, index) => respond(`${index}`, [10, 20], [11, 20 + index + 1]))
  const { first, all, last } = summarizeTimings(results)
  expect(first).toEqual({ n: 100, p50Ms: 1, p90Ms: 1, p99Ms: 1, maxMs: 1 })
  expect(last).toEqual({ n: 100, p50Ms: 50, p90Ms: 90, p99Ms: 99, maxMs: 100 })
  expect(all?.n).toBe(200)
})

test('reports null without recorded events', () => {
  expect(summarizeTimings([])).toEqual({ responses: 0, first: null, all: null, last: null })
})

test('drops the oldest responses beyond the limit of events', () => {
  const record = new TimingLog(100)
  for (let index = 0; index < 1000; index += 1) record.add(respond(`${index}`, [1, 2, 3], [1, 2, 3]))
  expect(record.list().length).toBeLessThanOrEqual(34)
  expect(record.list().at(-1)?.requestId).toBe('999')
})

test('limits the number of responses without events', () => {
  const record = new TimingLog(100, 10)
  for (let index = 0; index < 1000; index += 1) record.add(respond(`${index}`, [], []))
  expect(record.list().length).toBeLessThanOrEqual(10)
  expect(record.list().at(-1)?.requestId).toBe('999')
})

test('keeps the times of each response, in order of arrival', () => {
  const record = new TimingLog(8)
  for (let index = 0; index < 5; index += 1) record.add(respond(`${index}`, [index, 10], [index + 1, 11]))
  const times = record
    .list()
    .map(({ requestId, plannedMs, writtenMs }) => [requestId, [...Array.from(plannedMs), ...Array.from(writtenMs)]])
  expect(times).toEqual([
    ['2', [2, 10, 3, 11]],
    ['3', [3, 10, 4, 11]],
    ['4', [4, 10, 5, 11]],
  ])
  record.clear()
  expect(record.list()).toEqual([])
})

test('keeps only the first events of a response that exceeds the limit', () => {
  const record = new TimingLog(8)
  record.add(respond('long', [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]))
  expect(Array.from(record.list()[0]?.plannedMs ?? [])).toEqual([1, 2, 3, 4])
})
