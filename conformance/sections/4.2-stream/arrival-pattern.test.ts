import { expect, test } from 'vitest'
import { findArrivalPattern } from './arrival-pattern.ts'

/** Generates the times of `count` events in milliseconds, with irregular gaps of `gapMs` on average. */
function generateTimesMs(count: number, gapMs: number): number[] {
  let atMs = 300
  return Array.from({ length: count }, (_, index) => {
    const wave = [0.4, 1, 2.2, 0.7, 0.9, 0.8][index % 6] ?? 1
    atMs += gapMs * wave
    return atMs
  })
}

/** Simulates a buffer that releases its events when it contains `size` of them, or when the stream ends. */
function throughBuffer(times: readonly number[], size: number): number[] {
  return times.map((_, index) => {
    const full = Math.min(times.length, (Math.floor(index / size) + 1) * size) - 1
    return (times[full] ?? 0) + (index % size) * 0.01
  })
}

/** Simulates a socket that delays each send by `waitMs`, so that it sends several events together. */
function afterWaiting(times: readonly number[], waitMs: number): number[] {
  let dueMs = 0
  return times.map((atMs) => {
    if (atMs > dueMs) dueMs = atMs + waitMs
    return dueMs
  })
}

/**
 * Simulates TCP slow start for a response that is generated all at once: each round trip carries twice as many events
 * as the previous one.
 */
function tcpRounds(count: number, roundTripMs: number): number[] {
  return Array.from({ length: count }, (_, index) => 100 + Math.floor(Math.log2(index / 70 + 1)) * roundTripMs)
}

/** Size of a typical chunk of a stream, in bytes. */
const CHUNK_BYTES = 190

const patternOf = (times: readonly number[], bytes = CHUNK_BYTES) =>
  findArrivalPattern(times.map((atMs) => ({ atMs, data: '-'.repeat(bytes) })))

test.each([3, 6, 18, 50])(
  'events generated %i ms apart are steady, and arrive in bursts behind a buffer of 20 events',
  (gapMs) => {
    const times = generateTimesMs(128, gapMs)
    expect(patternOf(times)).toMatchObject({ kind: 'steady', events: 128 })
    expect(patternOf(throughBuffer(times, 20))).toMatchObject({ kind: 'bursts', events: 128, groups: 7 })
  },
)

test.each([6, 18, 50])(
  'events generated %i ms apart arrive in bursts behind a socket with a delay of 200 ms',
  (gapMs) => {
    expect(patternOf(afterWaiting(generateTimesMs(128, gapMs), 200))).toMatchObject({ kind: 'bursts' })
  },
)

test('classifies groups of a fast stream as bursts only if TCP sends the response in one round', () => {
  const times = afterWaiting(generateTimesMs(56, 3), 120)
  expect(patternOf(times)).toMatchObject({ kind: 'bursts', groups: 2 })
  expect(patternOf(times, 2 * CHUNK_BYTES)).toMatchObject({ kind: 'unclear' })
})

test('events further apart than the delay of the socket are steady', () => {
  expect(patternOf(afterWaiting(generateTimesMs(64, 400), 100))).toMatchObject({ kind: 'steady' })
})

test('classifies two full buffers of a long stream as two bursts', () => {
  const times = generateTimesMs(320, 6)
  expect(patternOf(throughBuffer(times, 160))).toMatchObject({ kind: 'bursts', groups: 2 })
})

test.each([
  ['at the same time', generateTimesMs(128, 0.01)],
  ['at the same time except the first', [200, ...generateTimesMs(128, 0.01).map((atMs) => atMs + 4000)]],
  ['in a few TCP rounds after a long pause', throughBuffer(generateTimesMs(128, 1), 64).map((atMs) => atMs + 4000)],
  ['at the same time except the last', [...generateTimesMs(128, 0.01), 4000]],
])('classifies as together the events that arrive %s', (_name, times) => {
  expect(patternOf(times)).toMatchObject({ kind: 'together' })
})

test.each([
  ['no events', []],
  ['few events', [300, 900, 1500, 2100, 2700]],
  ['events within less than 100 ms', generateTimesMs(128, 0.5)],
  [
    'small groups with short pauses, as from models that generate several tokens per step',
    throughBuffer(generateTimesMs(128, 18), 3),
  ],
  ['events of a response that TCP sends in growing rounds (slow start)', tcpRounds(1024, 60)],
  ['large groups with pauses too short to notice', throughBuffer(generateTimesMs(128, 1), 20)],
])('classifies as unclear: %s', (_name, times) => {
  expect(patternOf(times)).toMatchObject({ kind: 'unclear' })
})

test('a stream stays steady despite one pause, as after a lost packet', () => {
  const times = generateTimesMs(128, 6).map((atMs, index) => (index < 60 ? atMs : Math.max(atMs, 900) + index * 0.01))
  expect(patternOf(times)).toMatchObject({ kind: 'steady' })
})
