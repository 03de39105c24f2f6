import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Stall, StallWatch } from './stalls.ts'
import { findPattern } from './stream-sample.ts'

/** Stalls of a process that another one stops for 210 of every 260 ms. */
const STALLS: readonly Stall[] = Array.from({ length: 12 }, (_, index) => ({
  startMs: 260 * index + 50,
  endMs: 260 * index + 260,
}))

/** Returns the time at which the process reads bytes that arrive at `atMs`. */
function readAt(atMs: number): number {
  return STALLS.find(({ startMs, endMs }) => atMs > startMs && atMs <= endMs)?.endMs ?? atMs
}

function patternOf(arrivalsMs: readonly number[], stalls: readonly Stall[]) {
  const events = arrivalsMs.map((atMs) => ({ event: { atMs: readAt(atMs), data: '{}' }, length: 1 }))
  return findPattern(events, stalls)
}

test.each([3, 20])('events that arrive every %i ms stay steady if this process pauses', (gapMs) => {
  const arrivalsMs = Array.from({ length: 3000 / gapMs }, (_, index) => 100 + gapMs * index)
  expect(patternOf(arrivalsMs, STALLS)).toMatchObject({ kind: 'steady' })
  expect(patternOf(arrivalsMs, []).kind).toBe('bursts')
})

test('events that arrive in bursts stay bursts if this process pauses', () => {
  const arrivalsMs = Array.from({ length: 128 }, (_, index) => 20 + 520 * Math.floor(index / 12) + 0.01 * index)
  expect(patternOf(arrivalsMs, STALLS)).toMatchObject({ kind: 'bursts' })
})

test('bursts that this process may have caused are unclear', () => {
  const arrivalsMs = Array.from({ length: 40 }, (_, index) => 60 + 10 * index)
  expect(patternOf(arrivalsMs, []).kind).toBe('bursts')
  expect(patternOf(arrivalsMs, STALLS).kind).toBe('unclear')
})

test('a stream that this process reads at one time stays together', () => {
  const arrivalsMs = Array.from({ length: 128 }, () => 250)
  // The process reads the events at 260 ms. They may have arrived at any time since 50 ms.
  expect(patternOf(arrivalsMs, STALLS)).toMatchObject({ kind: 'together', events: 128, firstMs: 50, lastMs: 260 })
  expect(patternOf(arrivalsMs, [])).toMatchObject({ firstMs: 260 })
})

test('the watch records the time in which this process is busy', async () => {
  using watch = new StallWatch()
  await sleep(20)
  const startMs = performance.now()
  while (performance.now() < startMs + 60);
  await sleep(20)
  const [stall] = watch.listSince(startMs)
  expect(stall?.startMs).toBe(0)
  expect(stall?.endMs).toBeGreaterThanOrEqual(60)
})
