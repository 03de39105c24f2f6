import type { AddedMetricName } from '../../reports/load-document.ts'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'

/** Times of a response at the upstream, in milliseconds since it received the request. */
export interface UpstreamTimes {
  readonly writtenMs: readonly number[]
}

/** Comparison of one response with the upstream's record of it. */
export interface ComparedResponse {
  /** Client time minus upstream time in milliseconds, by metric. `gapMs` has one value for each gap between tokens. */
  readonly addedMs: Readonly<Record<AddedMetricName, readonly number[]>>
  /** How the gateway batched a stream. Null if the response is not a stream, or has too few measurable gaps. */
  readonly batching: 'none' | 'partial' | 'whole' | null
}

/**
 * Minimum length of a gap at the upstream that is measured. The gap has vanished if it is less than a quarter as long
 * at the client.
 */
const MIN_GAP_MS = 4
const VANISHED_SHARE = 0.25
/** Minimum number of measured gaps for which the batching of a stream is evaluated. */
const MIN_GAPS = 3

/**
 * Fraction of vanished gaps above which a stream counts as re-batched. A short stall of a gateway joins fewer tokens.
 */
const MAX_STALLED_SHARE = 0.4

/**
 * Number of events in an emulator's stream besides the tokens: the role, the finish reason, `[DONE]`, and in some
 * streams usage.
 */
const OTHER_EVENTS = [3, 4]

/**
 * Compares the client's and the upstream's times of a response. The first token needs no synchronized clocks, because
 * both times start with the request. Gaps are compared only if the gateway kept one event for each token.
 */
export function compareResponse(
  { operation, atMs, content, e2eMs, bodySha256 }: EventsResult,
  { writtenMs }: UpstreamTimes,
): ComparedResponse {
  const isStream = operation === 'chat-stream' && atMs.length > 0
  const endMs = writtenMs.at(-1)
  const e2e = bodySha256 === null || endMs === undefined ? [] : [e2eMs - endMs]
  const first = content[0]
  // The first event of the emulator contains the role, and the second contains the first token.
  const [firstTokenMs, firstMs] = [writtenMs[1], first === undefined ? undefined : atMs[first]]
  if (!isStream || firstMs === undefined || firstTokenMs === undefined) {
    return { addedMs: { ttftMs: [], gapMs: [], e2eMs: e2e }, batching: null }
  }
  const gaps = OTHER_EVENTS.includes(writtenMs.length - content.length) ? pairGaps(atMs, content, writtenMs) : []
  return {
    addedMs: { ttftMs: [firstMs - firstTokenMs], gapMs: gaps.map(({ seenMs, sentMs }) => seenMs - sentMs), e2eMs: e2e },
    batching: gaps.length === 0 ? batchingOfMergedEvents(content.length, writtenMs) : batchingOf(gaps),
  }
}

interface GapPair {
  readonly seenMs: number
  readonly sentMs: number
}

function pairGaps(atMs: readonly number[], content: readonly number[], writtenMs: readonly number[]): GapPair[] {
  return content.slice(1).map((event, index) => ({
    seenMs: (atMs[event] ?? 0) - (atMs[content[index] ?? 0] ?? 0),
    sentMs: (writtenMs[index + 2] ?? 0) - (writtenMs[index + 1] ?? 0),
  }))
}

function batchingOf(gaps: readonly GapPair[]): ComparedResponse['batching'] {
  const measurable = gaps.filter(({ sentMs }) => sentMs >= MIN_GAP_MS)
  if (measurable.length < MIN_GAPS) return null
  const vanished = measurable.filter(({ seenMs, sentMs }) => seenMs < sentMs * VANISHED_SHARE)
  if (vanished.length === measurable.length) return 'whole'
  return vanished.length > measurable.length * MAX_STALLED_SHARE ? 'partial' : 'none'
}

/**
 * Returns the batching of a stream in which the gateway sent fewer events with text than the upstream, because it
 * merged tokens.
 */
function batchingOfMergedEvents(contents: number, writtenMs: readonly number[]): ComparedResponse['batching'] {
  const tokens = writtenMs.length - Math.max(...OTHER_EVENTS)
  const isMeasurable = tokens > 1 && (writtenMs[tokens] ?? 0) - (writtenMs[1] ?? 0) >= MIN_GAP_MS
  if (!isMeasurable || contents >= tokens) return null
  return contents === 1 ? 'whole' : 'partial'
}
