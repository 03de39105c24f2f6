import type { LoadMetricName } from '../../reports/load-document.ts'
import {
  type ExtensionResult,
  type HistogramResult,
  type OperationResult,
  RESULT_VERSION,
} from '../../scenarios/lib/extension-result.ts'
import type { MeasurementError } from '../metrics/figure.ts'
import { EMPTY_OUTPUT } from '../metrics/measurements.ts'
import { createHistogram, encodeHistogram } from '../metrics/histogram.ts'
import type { TimedOperation } from '../../contract/facts.ts'

/** Creates a measurement error with the same bound for each statistic. */
export function createError(ms: number): MeasurementError {
  return { biasMs: 0, p50Ms: ms, p90Ms: ms, p95Ms: ms, p99Ms: ms, maxMs: ms }
}

/** Encodes values in milliseconds as a histogram, in the format of the k6 extension. */
export function createSamplesResult(valuesMs: readonly number[]): HistogramResult {
  const histogram = createHistogram(4)
  for (const valueMs of valuesMs) histogram.recordValue(Math.round(valueMs * 1000))
  return {
    n: valuesMs.length,
    sumMs: valuesMs.reduce((sum, valueMs) => sum + valueMs, 0),
    minMs: Math.min(...valuesMs),
    maxMs: Math.max(...valuesMs),
    encoded: encodeHistogram(histogram),
  }
}

export function repeatValue(count: number, valueMs: number): number[] {
  return Array.from({ length: count }, () => valueMs)
}

/** Builds the result of an operation with `count` successful requests and these samples. */
export function createOperationResult(
  count: number,
  valuesMs: Readonly<Partial<Record<LoadMetricName, readonly number[]>>> = {},
  others: Partial<OperationResult> = {},
): OperationResult {
  return {
    sent: count,
    ok: count,
    failed: 0,
    aborted: 0,
    good: count,
    byStatus: count === 0 ? {} : { 200: count },
    byError: {},
    histograms: Object.fromEntries(
      Object.entries(valuesMs).map(([metric, values]) => [metric, createSamplesResult(values)]),
    ),
    tokens: {},
    output: { ...EMPTY_OUTPUT, responses: count, withUsage: count, streams: count },
    ...others,
  }
}

/** Builds the result that the k6 extension writes for a run of ten seconds. */
export function createExtensionResult(
  operations: Readonly<Partial<Record<TimedOperation, OperationResult>>>,
  others: Partial<ExtensionResult> = {},
): ExtensionResult {
  return {
    version: RESULT_VERSION,
    startedAtUnixMs: 1_750_000_000_000,
    endedAtUnixMs: 1_750_000_010_000,
    segment: { index: 0, count: 1 },
    plan: null,
    operations,
    series: [],
    validation: { streams: 0, violations: [] },
    ...others,
  }
}
