import { expect, test } from 'vitest'
import { buildMeasurements, type Measurements } from '../metrics/measurements.ts'
import { createExtensionResult, createOperationResult } from '../testing/make-result.ts'
import { compareDistributions, findHeldText } from './compare-distributions.ts'

/** Builds the measurements of `count` streams whose TTFTs are spread evenly between `fromMs` and `fromMs` + 100 ms. */
function measure(count: number, fromMs: number): Measurements {
  const ttftMs = Array.from({ length: count }, (_, index) => fromMs + (100 * index) / count)
  return buildMeasurements(
    createExtensionResult({ 'chat-stream': createOperationResult(count, { ttftMs, e2eMs: ttftMs }) }),
    () => null,
  )
}

test('subtracts percentiles, with an interval that contains the true difference', () => {
  const { method, compared, responses, added } = compareDistributions(
    'http://u',
    [measure(2000, 220)],
    [measure(1800, 200)],
  )
  expect([method, compared, responses, Object.keys(added)]).toEqual(['turns', 1800, 2000, ['ttftMs', 'e2eMs']])
  for (const statistic of ['mean', 'p50', 'p90', 'p95', 'p99'] as const) {
    const { ms = 0, lowMs, highMs } = added.ttftMs?.[statistic] ?? {}
    expect(ms).toBeCloseTo(20, 0)
    expect(lowMs).toBeLessThan(20)
    expect(highMs).toBeGreaterThan(20)
  }
  expect(added.ttftMs).toMatchObject({ n: 1800, max: { lowMs: null, highMs: null } })
  // With 2,000 samples, the standard deviation of the median is 1.1 % of the range. The interval extends 2.6 standard
  // deviations on each side, for each of the two services.
  expect((added.ttftMs?.p50.highMs ?? 0) - (added.ttftMs?.p50.lowMs ?? 0)).toBeCloseTo(11.9, 0)
})

test('gives no bound to a percentile with too few samples for it', () => {
  const { added } = compareDistributions('http://u', [measure(100, 20)], [measure(100, 10)])
  expect(added.ttftMs?.p50.highMs).not.toBeNull()
  expect(added.ttftMs?.p99.highMs).toBeNull()
})

test('gives no bound to a mean of one value', () => {
  const { added } = compareDistributions('http://u', [measure(1, 20)], [measure(100, 10)])
  expect(added.ttftMs?.mean).toMatchObject({ lowMs: null, highMs: null })
})

/** Builds the measurements of streams that each have 50 inter-token latencies of the same length, between 10 and 20 ms. */
function measureSteadyStreams(count: number): Measurements {
  const lengthsMs = Array.from({ length: count }, (_, index) => 10 + (10 * index) / count)
  const itlMs = lengthsMs.flatMap((lengthMs) => Array.from({ length: 50 }, () => lengthMs))
  return buildMeasurements(
    createExtensionResult({ 'chat-stream': createOperationResult(count, { ttftMs: lengthsMs, itlMs }) }),
    () => null,
  )
}

test('the interval of inter-token latency is as wide as that of a value per stream', () => {
  const { added } = compareDistributions('http://u', [measureSteadyStreams(1000)], [measureSteadyStreams(1000)])
  const widthMs = ({ lowMs, highMs }: { lowMs: number | null; highMs: number | null }) => (highMs ?? 0) - (lowMs ?? 0)
  for (const statistic of ['mean', 'p50', 'p90'] as const) {
    const [itl, ttft] = [added.itlMs?.[statistic], added.ttftMs?.[statistic]]
    if (itl === undefined || ttft === undefined) throw new Error('the streams have both latencies')
    expect(widthMs(itl)).toBeGreaterThan(0.9 * widthMs(ttft))
  }
  expect(
    compareDistributions('http://u', [measureSteadyStreams(100)], [measureSteadyStreams(100)]).added.itlMs,
  ).toMatchObject({
    n: 5000,
    p99: { lowMs: null, highMs: null },
  })
})

test('the interval contains the difference of a service that is slower in some turns', () => {
  const upstream = [200, 260, 200, 260].map((fromMs) => measure(1000, fromMs))
  const target = [220, 220, 280, 280].map((fromMs) => measure(1000, fromMs))
  const steady = compareDistributions(
    'http://u',
    target.map(() => measure(1000, 250)),
    upstream.map(() => measure(1000, 230)),
  )
  const { added } = compareDistributions('http://u', target, upstream)
  // The turns differ by 20, -40, 80 and 20 ms: a standard deviation of 49 ms, and of 24.5 ms for their mean. The
  // quantile of Student's t distribution is 4.541.
  expect(added.ttftMs?.mean).toMatchObject({
    ms: 20,
    lowMs: expect.closeTo(20 - 111.2, 0),
    highMs: expect.closeTo(20 + 111.2, 0),
  })
  expect((steady.added.ttftMs?.mean.highMs ?? 0) - 20).toBeLessThan(3)
})

/** Builds the measurements of streams whose text arrives between these times. */
function measureText(firstMs: number, lastMs: number): Measurements {
  const [ttftMs, e2eMs] = [firstMs, lastMs].map((valueMs) => Array.from({ length: 50 }, () => valueMs))
  return buildMeasurements(
    createExtensionResult({
      'chat-stream': createOperationResult(50, { ...(ttftMs && { ttftMs }), ...(e2eMs && { e2eMs }) }),
    }),
    () => null,
  )
}

test('finds a gateway that holds the text of streams back, by its time and not by its events', () => {
  const upstream = [measureText(300, 1300)]
  expect(findHeldText([measureText(1300, 1301)], upstream)).toEqual([
    { code: 'gateway-holds-text', params: { targetMs: 1, upstreamMs: 1000 } },
  ])
  expect(findHeldText([measureText(350, 1350)], upstream)).toEqual([])
  expect(findHeldText([measureText(5, 5)], [measureText(4, 5)])).toEqual([])
  expect(findHeldText(upstream, upstream)).toEqual([])
})
