import { expect, test } from 'vitest'
import { describeAddedBounds, describeForwarding, listAddedLatencyRows } from './added-latency.ts'
import type { AddedValue, LoadUpstream } from './load-parts-document.ts'

const bounded = (ms: number): AddedValue => ({ ms, lowMs: ms - 1, highMs: ms + 1 })
const unbounded = (ms: number): AddedValue => ({ ms, lowMs: null, highMs: null })

const UPSTREAM: LoadUpstream = {
  url: 'http://upstream',
  method: 'turns',
  compared: 400,
  responses: 400,
  added: {
    ttftMs: {
      n: 400,
      mean: bounded(52),
      p50: bounded(52),
      p90: bounded(57),
      p95: bounded(58),
      p99: unbounded(-48),
      max: unbounded(-124),
    },
  },
  forwarding: null,
  streams: null,
  credits: null,
}

test('shows no value without a confidence interval if the latencies were measured alternately', () => {
  const [row] = listAddedLatencyRows(UPSTREAM)
  expect(row?.slice(2)).toEqual(['52.0', '57.0', '58.0', '–', '–', '51.0 to 53.0, unknown'])
  expect(describeAddedBounds(UPSTREAM)).toMatch(/A dash marks a value without such an interval\.$/)
})

test('shows values without bounds if they were compared with the record of an emulator', () => {
  const [row] = listAddedLatencyRows({ ...UPSTREAM, method: 'record' })
  expect(row?.slice(2, -1)).toEqual(['52.0', '57.0', '58.0', '-48.0', '-124.0'])
})

test('shows only the charged credits if the usage of the responses is incomplete', () => {
  const describe = (seen: string | null) => describeForwarding({ ...UPSTREAM, credits: { seen, charged: '2.7644' } })[1]
  expect(describe('2.7644')).toBe('credits: 2.7644 counted by the client · 2.7644 charged')
  expect(describe(null)).toMatch(/^credits: 2\.7644 charged by the upstream · not compared with the usage, because/)
})

test('states that buffering was not tested if the upstream sent each stream at once', () => {
  const describe = (judged: number, sentAtOnce: number) =>
    describeForwarding({ ...UPSTREAM, method: 'record', streams: { judged, rebatched: 0, buffered: 0, sentAtOnce } })
  expect(describe(0, 400)[1]).toMatch(/^buffering not tested: .* Start the emulator with --latency/)
  expect(describe(0, 0)).toHaveLength(1) // no streams, or streams with too few tokens
  expect(describe(4, 396)[1]).toBe('streams: 4 compared · 0 re-batched · 0 buffered')
})
