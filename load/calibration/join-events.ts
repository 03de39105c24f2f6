import type { LoadMetricName } from '../../reports/load-document.ts'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'
import { type MeasurementError } from '../metrics/figure.ts'
import { roundMs } from '../metrics/histogram.ts'
import type { LoadOperation } from '../../scenarios/lib/load-operation.ts'
import type { RecordedResponse } from '../target/emulator-client.ts'

/** Measured minus recorded times in milliseconds, by operation and metric. */
export type TimingDifferences = Map<LoadOperation, Map<LoadMetricName, number[]>>

/** Result of joining measured events with recorded ones. */
export interface JoinedEvents {
  readonly differences: TimingDifferences
  /** `joined`: responses whose record has the same number of events. `unjoined`: all others. */
  readonly joined: number
  readonly unjoined: number
}

/**
 * Joins measured and recorded events by request id and position: the time at which k6 read an event with the time at
 * which the emulator wrote it.
 */
export function joinEvents(events: readonly EventsResult[], recorded: readonly RecordedResponse[]): JoinedEvents {
  const byId = new Map(recorded.map(({ requestId, writtenMs }) => [requestId, writtenMs]))
  const differences: TimingDifferences = new Map()
  let joined = 0
  for (const line of events) {
    const writtenMs = line.requestId === null ? undefined : byId.get(line.requestId)
    if (writtenMs === undefined || !areOfOneResponse(line, writtenMs)) continue
    joined += 1
    const own = differences.get(line.operation) ?? new Map<LoadMetricName, number[]>()
    differences.set(line.operation, own)
    for (const [metric, value] of compare(line, writtenMs)) {
      const values = own.get(metric)
      if (values === undefined) own.set(metric, [value])
      else values.push(value)
    }
  }
  return { differences, joined, unjoined: events.length - joined }
}

/** Returns whether the numbers of read and written events are consistent; an aborted stream may have read fewer. */
function areOfOneResponse({ atMs, bodySha256 }: EventsResult, writtenMs: readonly number[]): boolean {
  if (atMs.length === 0) return writtenMs.length === 1
  return atMs.length === writtenMs.length || (bodySha256 === null && atMs.length < writtenMs.length)
}

/** Yields the differences of one response for each metric. */
function* compare(
  { atMs, content, e2eMs, bodySha256 }: EventsResult,
  writtenMs: readonly number[],
): Generator<[LoadMetricName, number]> {
  if (bodySha256 !== null) yield ['e2eMs', e2eMs - (writtenMs.at(-1) ?? 0)]
  const first = content[0]
  const last = content.at(-1)
  if (first === undefined || last === undefined) return
  const between = (times: readonly number[], from: number, to: number) => (times[to] ?? 0) - (times[from] ?? 0)
  yield ['ttftMs', (atMs[first] ?? 0) - (writtenMs[first] ?? 0)]
  for (const [index, event] of content.entries()) {
    const before = content[index - 1]
    if (before !== undefined) yield ['gapMs', between(atMs, before, event) - between(writtenMs, before, event)]
  }
  const gaps = content.length - 1
  if (gaps > 0) yield ['tpotMs', (between(atMs, first, last) - between(writtenMs, first, last)) / gaps]
}

/**
 * Calculates the mean of the differences, and nearest-rank percentiles of their absolute values. Undefined for an empty
 * list.
 */
export function summarizeDifferences(
  values: readonly number[],
): (MeasurementError & { readonly n: number }) | undefined {
  if (values.length === 0) return undefined
  const sorted = Float64Array.from(values, Math.abs).sort()
  const rank = (share: number) => roundMs(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0)
  const biasMs = roundMs(values.reduce((sum, value) => sum + value, 0) / values.length)
  return { n: values.length, biasMs, p50Ms: rank(0.5), p99Ms: rank(0.99) }
}

/** Returns the differences of a metric for all operations. */
export function calculateDifferences(differences: TimingDifferences, metric: LoadMetricName): number[] {
  return [...differences.values()].flatMap((own) => own.get(metric) ?? [])
}
