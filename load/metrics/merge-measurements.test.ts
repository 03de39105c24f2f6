import { expect, test } from 'vitest'
import type { ExtensionResult, SecondResult } from '../../scenarios/lib/extension-result.ts'
import { createOperationResult, createExtensionResult, createSamplesResult } from '../testing/make-result.ts'
import { buildMeasurements } from './measurements.ts'
import { createHistogram, encodeHistogram } from './histogram.ts'
import { mergeMeasurements } from './merge-measurements.ts'

/** Different values from 1 ms to 10 s. */
const VALUES_MS = Array.from(
  { length: 4000 },
  (_, index) => Math.round(10 ** (4 + ((index * 7919) % 4000) / 1000)) / 10_000,
)

function secondOf(atS: number, requests: number, ttftMs: number): SecondResult {
  const histogram = createHistogram(2)
  histogram.recordValue(ttftMs * 1000)
  return { atS, requests, ok: requests, failed: 0, inFlight: 1, ttft: encodeHistogram(histogram) }
}

/** Builds the result of segment `index` of `count`. Each segment starts a second after the previous one. */
function part(index: number, count: number): ExtensionResult {
  const own = VALUES_MS.filter((_, at) => at % count === index)
  const startedAtUnixMs = 1_750_000_000_000 + index * 1000
  return createExtensionResult(
    {
      'chat-stream': createOperationResult(
        own.length,
        { ttftMs: own },
        { tokens: { toString: { responses: 1, prompt: 2, completion: 3, estimated: 0 } } },
      ),
    },
    {
      startedAtUnixMs,
      endedAtUnixMs: startedAtUnixMs + 10_000,
      segment: { index, count },
      plan: { planned: own.length + 1, due: own.length + 1, taken: own.length },
      series: [secondOf(0, index + 1, 10 * (index + 1)), secondOf(1, 5, 10)],
      checks: [{ name: 'it holds', passes: own.length, fails: index }],
      validation: { streams: own.length, violations: [{ kind: 'no-done', count: 1, example: `of ${index}` }] },
    },
  )
}

test('merges histograms into exactly the histogram of all samples', () => {
  const parts = [0, 1, 2, 3].map((index) => buildMeasurements(part(index, 4), () => null))
  const merged = mergeMeasurements(parts).metrics['chat-stream']?.ttftMs
  const whole = buildMeasurements(part(0, 1), () => null).metrics['chat-stream']?.ttftMs
  expect(merged?.histogram).toBe(createSamplesResult(VALUES_MS).encoded)
  expect({ ...merged, mean: 0 }).toEqual({ ...whole, mean: 0 })
  expect(merged?.mean).toBeCloseTo(whole?.mean ?? 0, 2)
  expect(merged?.n).toBe(4000)
})

test('adds counts, and merges durations from the first start to the last end', () => {
  const merged = mergeMeasurements([0, 1, 2, 3].map((index) => buildMeasurements(part(index, 4), () => null)))
  expect(merged.durationMs).toBe(13_000)
  expect(merged.requests).toMatchObject({
    planned: 4004,
    sent: 4000,
    ok: 4000,
    dropped: 4,
    byStatus: { 200: 4000 },
    byOperation: { 'chat-stream': { sent: 4000, good: 4000 } },
  })
  expect(merged.tokens).toEqual({ toString: { responses: 4, prompt: 8, completion: 12, estimated: 0 } })
  expect(merged.validation).toEqual({
    streams: 4000,
    checks: [{ name: 'it holds', passes: 4000, fails: 6 }],
    violations: [{ kind: 'no-done', count: 4, example: 'of 0' }],
  })
})

test('aligns the series of segments by the clock', () => {
  const { series } = mergeMeasurements([0, 1].map((index) => buildMeasurements(part(index, 2), () => null)))
  expect(series.map(({ atS, requests }) => [atS, requests])).toEqual([
    [0, 1],
    [1, 5 + 2],
    [2, 5],
  ])
  // This second of the series contains one sample of 10 ms and one of 20 ms.
  expect(series[1]?.ttftP50Ms).toBeCloseTo(10, 0)
  expect(series[1]?.ttftP99Ms).toBeCloseTo(20, 0)
})

test('merges measurement errors into the largest, or into null if one is unknown', () => {
  const [a, b] = [0, 1].map((index) => part(index, 2))
  if (a === undefined || b === undefined) throw new Error('two parts')
  const errors = [
    { biasMs: -0.3, p50Ms: 0.1, p90Ms: 0.3, p95Ms: 0.4, p99Ms: 0.9, maxMs: 1 },
    { biasMs: 0.2, p50Ms: 0.2, p90Ms: 0.2, p95Ms: 0.5, p99Ms: 0.5, maxMs: 2 },
  ]
  const errorOf = (measurements: ReturnType<typeof buildMeasurements>[]) =>
    mergeMeasurements(measurements).metrics['chat-stream']?.ttftMs?.error
  const known = [a, b].map((one, index) => buildMeasurements(one, () => errors[index] ?? null))
  expect(errorOf(known)).toEqual({ biasMs: -0.3, p50Ms: 0.2, p90Ms: 0.3, p95Ms: 0.5, p99Ms: 0.9, maxMs: 2 })
  expect(errorOf([...known, buildMeasurements(a, () => null)])).toBeNull()
})
