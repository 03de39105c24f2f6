import type { LoadMetricName } from '../../reports/load-document.ts'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'
import type { TimedOperation } from '../../contract/facts.ts'
import type { RecordedTiming } from '../target/emulator-client.ts'

/** A time that k6 measured, and the time that the target recorded for the same event, both in milliseconds. */
export interface TimingDifference {
  readonly operation: TimedOperation
  readonly metric: LoadMetricName
  readonly measuredMs: number
  readonly recordedMs: number
}

export type TimingDifferences = TimingDifference[]

export interface JoinedEvents {
  readonly differences: TimingDifferences
  /** `joined` counts the responses with a matching record; `unjoined` counts all others. */
  readonly joined: number
  readonly unjoined: number
}

/**
 * Joins the events that k6 read with the events that the target wrote, by request ID and position. Compares the metrics
 * that follow from each.
 */
export function joinEvents(events: readonly EventsResult[], recorded: readonly RecordedTiming[]): JoinedEvents {
  const byId = new Map(recorded.map(({ requestId, writtenMs }) => [requestId, writtenMs]))
  const differences: TimingDifferences = []
  let joined = 0
  for (const line of events) {
    const writtenMs = line.requestId === null ? undefined : byId.get(line.requestId)
    if (writtenMs === undefined || !areOfOneResponse(line, writtenMs)) continue
    joined += 1
    const { operation } = line
    for (const [metric, measuredMs, recordedMs] of compare(line, writtenMs)) {
      differences.push({ operation, metric, measuredMs, recordedMs })
    }
  }
  return { differences, joined, unjoined: events.length - joined }
}

/** Returns whether the numbers of read and written events match. An aborted stream may have fewer read events. */
function areOfOneResponse({ atMs, isComplete }: EventsResult, writtenMs: readonly number[]): boolean {
  if (atMs.length === 0) return writtenMs.length === 1
  return atMs.length === writtenMs.length || (!isComplete && atMs.length < writtenMs.length)
}

function* compare(
  { atMs, tokens, firstText, e2eMs, isComplete }: EventsResult,
  writtenMs: readonly number[],
): Generator<readonly [LoadMetricName, measuredMs: number, recordedMs: number]> {
  if (isComplete) yield ['e2eMs', e2eMs, writtenMs.at(-1) ?? 0]
  const first = tokens[0]
  const last = tokens.at(-1)
  if (first === undefined || last === undefined) return
  const between = (times: readonly number[], from: number, to: number) => (times[to] ?? 0) - (times[from] ?? 0)
  yield ['ttftMs', atMs[first] ?? 0, writtenMs[first] ?? 0]
  const text = tokens[firstText]
  if (text !== undefined) yield ['textTtftMs', atMs[text] ?? 0, writtenMs[text] ?? 0]
  for (const [index, event] of tokens.entries()) {
    const before = tokens[index - 1]
    if (before !== undefined) yield ['itlMs', between(atMs, before, event), between(writtenMs, before, event)]
  }
  const intervals = tokens.length - 1
  if (intervals > 0)
    yield ['tpotMs', between(atMs, first, last) / intervals, between(writtenMs, first, last) / intervals]
}
