import type {
  LoadDocument,
  LoadMetricName,
  OperationCounts,
  OperationOutput,
  SeriesEntry,
} from '../../reports/load-document.ts'
import {
  type ExtensionResult,
  type HistogramResult,
  type OperationResult,
  RESULT_VERSION,
  type SecondResult,
  type TokensResult,
} from '../../scenarios/lib/extension-result.ts'
import type { TimedOperation } from '../../contract/facts.ts'
import { type MeasurementError, summarizeSamples } from './figure.ts'
import { decodeHistogram, getPercentileMs, roundMs } from './histogram.ts'

/** Counts and figures of a run without its verdict. The measurements of several processes can be merged exactly. */
export type Measurements = Pick<
  LoadDocument,
  'startedAt' | 'durationMs' | 'metrics' | 'series' | 'requests' | 'validation' | 'warmUp'
> & {
  /** Token counts, keyed by model ID. They include the warm-up. */
  readonly tokens: Readonly<Record<string, TokensResult>>
}

/** Returns the measurement error of a metric, or null if it is unknown. */
export type MeasurementErrorFinder = (operation: TimedOperation, metric: LoadMetricName) => MeasurementError | null

export function buildMeasurements(result: ExtensionResult, errorOf: MeasurementErrorFinder): Measurements {
  const operations = listEntries(result.operations)
  const { warmUp } = result
  return {
    startedAt: new Date(result.startedAtUnixMs).toISOString(),
    durationMs: result.endedAtUnixMs - result.startedAtUnixMs,
    metrics: Object.fromEntries(operations.map(([name, operation]) => [name, figuresOf(name, operation, errorOf)])),
    series: result.series.map(buildSeriesEntry),
    requests: countsOf(result, operations),
    validation: { ...result.validation, checks: result.checks ?? [] },
    ...(warmUp === undefined ? {} : { warmUp: selectCounts(warmUp) }),
    tokens: sumTokens([...operations.map(([, { tokens }]) => tokens), warmUp?.tokens ?? {}]),
  }
}

function selectCounts({ sent, ok, failed, aborted }: NonNullable<Measurements['warmUp']>) {
  return { sent, ok, failed, aborted }
}

/** Creates the measurements of a run in which k6 wrote no result. */
export function createEmptyMeasurements(startedAtUnixMs: number, endedAtUnixMs: number): Measurements {
  const nothing = { operations: {}, series: [], validation: { streams: 0, violations: [] }, plan: null }
  return buildMeasurements(
    { version: RESULT_VERSION, startedAtUnixMs, endedAtUnixMs, segment: { index: 0, count: 1 }, ...nothing },
    () => null,
  )
}

function figuresOf(name: TimedOperation, { histograms }: OperationResult, errorOf: MeasurementErrorFinder): object {
  // The cast restores the key type, which Object.entries widens to string.
  const entries = Object.entries(histograms) as [keyof typeof histograms, HistogramResult][]
  const filled = entries.filter(([, samples]) => samples.n > 0)
  return Object.fromEntries(
    filled.map(([metric, samples]) => [metric, summarizeSamples(samples, errorOf(name, metric))]),
  )
}

function countsOf(
  { plan }: ExtensionResult,
  operations: readonly (readonly [TimedOperation, OperationResult])[],
): Measurements['requests'] {
  const counts = operations.map(([, operation]) => selectCounts(operation))
  return {
    planned: plan?.planned ?? null,
    ...sumCounts([{ sent: 0, ok: 0, failed: 0, aborted: 0 }, ...counts]),
    dropped: plan === null ? 0 : plan.due - plan.taken,
    byStatus: sumCounts(operations.map(([, { byStatus }]) => byStatus)),
    byError: sumCounts(operations.map(([, { byError }]) => byError)),
    byOperation: Object.fromEntries(operations.map(([name, operation]) => [name, operationCountsOf(operation)])),
  }
}

function operationCountsOf({ sent, ok, failed, aborted, good, output }: OperationResult): OperationCounts {
  return { sent, ok, failed, aborted, good, output }
}

/** Operations whose responses report completion tokens. */
const TOKEN_OPERATIONS: readonly TimedOperation[] = ['chat', 'chat-stream']

/** Adds the output of all operations with completion tokens, or returns that of one operation. */
export function sumOutput(
  { byOperation }: Measurements['requests'],
  operation: TimedOperation | null = null,
): OperationOutput {
  const selected = listEntries(byOperation).filter(([name]) =>
    operation === null ? TOKEN_OPERATIONS.includes(name) : operation === name,
  )
  return sumCounts([EMPTY_OUTPUT, ...selected.flatMap(([, { output }]) => output ?? [])])
}

export const EMPTY_OUTPUT: OperationOutput = {
  responses: 0,
  withUsage: 0,
  completionTokens: 0,
  streams: 0,
  withoutToken: 0,
  withoutText: 0,
  cutBeforeText: 0,
}

/**
 * Adds records of counts, field by field.
 * @param parts at least one record, if `Counts` has certain fields
 */
export function sumCounts<Counts extends Readonly<Record<string, number>>>(parts: readonly Counts[]): Counts {
  const total: Record<string, number> = {}
  for (const part of parts) {
    for (const [name, count] of Object.entries(part)) total[name] = (total[name] ?? 0) + count
  }
  return total as Counts // The cast is safe: the sum has the fields of the parts.
}

/** Adds token counts, keyed by model ID. */
export function sumTokens<Tokens extends Pick<TokensResult, 'prompt' | 'completion'>>(
  parts: readonly Readonly<Record<string, Tokens>>[],
): Record<string, Tokens> {
  const byModel = Map.groupBy(parts.flatMap(Object.entries<Tokens>), ([model]) => model)
  return Object.fromEntries([...byModel].map(([model, group]) => [model, sumCounts(group.map(([, tokens]) => tokens))]))
}

/** Builds the entry for one second of the document's time series. */
export function buildSeriesEntry(second: SecondResult): SeriesEntry {
  const histogram = second.ttft === null ? undefined : decodeHistogram(second.ttft)
  const at = (percent: number) => (histogram === undefined ? null : roundMs(getPercentileMs(histogram, percent)))
  return { ...second, ttftP50Ms: at(50), ttftP99Ms: at(99) }
}

/** Returns the number of requests that a k6 process sent, or 0 without a result. */
export function countSentRequests(result: ExtensionResult | undefined): number {
  return listEntries(result?.operations ?? {}).reduce((sum, [, { sent }]) => sum + sent, 0)
}

/** Latencies of the target. Their samples have bounds if the kernel reports receive times. */
const LATENCIES = ['ttftMs', 'textTtftMs', 'itlMs', 'tpotMs', 'e2eMs'] as const satisfies readonly LoadMetricName[]

/** Returns whether k6 processes measured a latency without bounds. */
export function hasUnboundedLatency(results: readonly (ExtensionResult | undefined)[]): boolean {
  const operations = results.flatMap((result) => listEntries(result?.operations ?? {}))
  return operations.some(([, { histograms }]) =>
    LATENCIES.some((metric) => histograms[metric] !== undefined && histograms[metric].low === undefined),
  )
}

/** Returns the entries of an object, like `Object.entries`, but keeps the types of the keys. */
export function listEntries<Value>(
  record: Readonly<Partial<Record<TimedOperation, Value>>>,
): (readonly [TimedOperation, Value])[] {
  return Object.entries(record) as (readonly [TimedOperation, Value])[]
}
