import { expect, test } from 'vitest'
import type { SeriesEntry } from '../../reports/load-document.ts'
import { createHistogram, encodeHistogram } from '../metrics/histogram.ts'
import { listSteadySeconds, sumOf, summarizeTtft } from './steady-load.ts'

/** Each second of a run: numbers of successful requests and of requests in flight at its end, and their TTFT. */
function seriesOf(seconds: readonly (readonly [ok: number, inFlight: number, ttftMs: number])[]): SeriesEntry[] {
  return seconds.map(([ok, inFlight, ttftMs], atS) => {
    const histogram = createHistogram(2)
    if (ok > 0) histogram.recordValueWithCount(1000 * ttftMs, ok)
    const ttft = ok === 0 ? null : encodeHistogram(histogram)
    return { atS, requests: ok, ok, failed: 0, inFlight, ttftP50Ms: null, ttftP99Ms: null, ttft }
  })
}

/** Sixteen clients of a server with eight slots, whose responses take a second: the second eight wait for a second. */
const QUEUED = seriesOf([
  [0, 16, 0],
  [8, 16, 100],
  [8, 16, 1100],
  ...Array.from({ length: 4 }, () => [8, 16, 1100] as const),
])

test('excludes the requests that found free slots from the figures of a queue', () => {
  const steady = listSteadySeconds(QUEUED, 7)
  expect(steady.map(({ atS }) => atS)).toEqual([3, 4, 5, 6])
  expect(sumOf(steady, 'ok') / steady.length).toBe(8)
  expect(summarizeTtft(steady)?.p50Ms).toBeCloseTo(1100, -2)
})

test('excludes the second in which a run stopped', () => {
  expect(listSteadySeconds(QUEUED, 6.5).map(({ atS }) => atS)).toEqual([3, 4, 5])
})

test.each([
  ['ended before three steady seconds', QUEUED, 5],
  ['has no successful request', seriesOf(Array.from({ length: 9 }, () => [0, 16, 0])), 9],
  ['has fewer than ten successful requests', seriesOf(Array.from({ length: 9 }, () => [1, 1, 100])), 9],
])('finds no steady load in a run that %s', (_reason, series, endS) => {
  expect(listSteadySeconds(series, endS)).toEqual([])
})
