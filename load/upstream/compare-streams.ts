import type { AddedMetricName } from '../../reports/load-parts-document.ts'
import type { EventsResult } from '../../scenarios/lib/extension-result.ts'

/** Times of a response at the upstream, in milliseconds since it received the request. */
export interface UpstreamTimes {
  readonly writtenMs: readonly number[]
}

/**
 * Client time minus upstream time, in milliseconds. If the client time has no bounds, `lowMs` and `highMs` are null.
 */
export interface AddedLatencySample {
  readonly ms: number
  readonly lowMs: number | null
  readonly highMs: number | null
}

export interface ComparedResponse {
  /** Samples by metric. `itlMs` has one sample for each interval between tokens. */
  readonly added: Readonly<Record<AddedMetricName, readonly AddedLatencySample[]>>
  /**
   * How the gateway batched a stream: `partial` means that it joined some tokens, and `whole` that it sent all at once.
   * Null if the response is not a stream, or has too few measurable intervals between tokens.
   */
  readonly batching: 'none' | 'partial' | 'whole' | null
  /** Whether the upstream sent a stream at once, so that the batching of the gateway cannot be detected. */
  readonly isSentAtOnce: boolean
}

/** Minimum inter-token latency at the upstream that is measured, in milliseconds. */
const MIN_ITL_MS = 4
/** Maximum duration of an interval at the client that a gateway has removed, as a fraction of that at the upstream. */
export const REMOVED_SHARE = 0.25
/** Minimum number of measured intervals for which the batching of a stream is evaluated. */
const MIN_ITLS = 3

/**
 * Fraction of removed intervals above which a stream counts as re-batched. A short stall of a gateway joins fewer tokens.
 */
const MAX_STALLED_SHARE = 0.4

/**
 * Number of events in an emulator's stream besides the tokens: the role, the finish reason, `[DONE]`, and in some
 * streams usage.
 */
const OTHER_EVENTS = [3, 4]

/**
 * Compares the client's and the upstream's times of a response. The first token needs no synchronized clocks, because
 * both times start with the request. Inter-token latencies are compared only if the gateway kept one event for each token, and its text.
 */
export function compareResponse(
  line: EventsResult,
  { writtenMs }: UpstreamTimes,
  isTextChanged: boolean,
): ComparedResponse {
  const { operation, atMs, tokens, e2eMs, isComplete, bounds } = line
  const isStream = operation === 'chat-stream' && atMs.length > 0
  const endMs = writtenMs.at(-1)
  const e2e = isComplete && endMs !== undefined ? [subtract(sinceStart(line, e2eMs, bounds?.e2eMs), endMs)] : []
  const firstIndex = tokens[0]
  // The first event of the emulator contains the role, and the second contains the first token.
  const [firstTokenMs, firstMs] = [writtenMs[1], firstIndex === undefined ? undefined : atMs[firstIndex]]
  if (!isStream || firstMs === undefined || firstTokenMs === undefined) {
    return { added: { ttftMs: [], itlMs: [], e2eMs: e2e }, batching: null, isSentAtOnce: false }
  }
  const ttft = sinceStart(line, firstMs, bounds?.tokenMs[0])
  const first = [subtract(ttft, firstTokenMs)]
  // A missing event is not a merged event.
  if (isTextChanged) {
    return { added: { ttftMs: first, itlMs: [], e2eMs: e2e }, batching: null, isSentAtOnce: false }
  }
  const itls = OTHER_EVENTS.includes(writtenMs.length - tokens.length) ? pairItls(line, writtenMs) : []
  return {
    added: {
      ttftMs: first,
      itlMs: itls.map(({ seen, sentMs }) => subtract(seen, sentMs)),
      e2eMs: e2e,
    },
    // A truncated stream also has fewer events with a token than the upstream sent.
    batching: itls.length === 0 && isComplete ? batchingOfMergedEvents(tokens.length, writtenMs) : batchingOf(itls),
    isSentAtOnce: isSentAtOnce(writtenMs),
  }
}

type ClientTime = AddedLatencySample

/**
 * Returns the time from the start of a request until an event.
 * @param atMs latest possible time of the event
 * @param earliestMs earliest possible time, if it is known
 */
function sinceStart({ bounds }: EventsResult, atMs: number, earliestMs: number | undefined): ClientTime {
  if (bounds === undefined || earliestMs === undefined) return { ms: atMs, lowMs: null, highMs: null }
  return { ms: atMs, lowMs: Math.max(0, earliestMs - bounds.startMs), highMs: atMs }
}

function subtract({ ms, lowMs, highMs }: ClientTime, sentMs: number): AddedLatencySample {
  return {
    ms: ms - sentMs,
    lowMs: lowMs === null ? null : lowMs - sentMs,
    highMs: highMs === null ? null : highMs - sentMs,
  }
}

interface ItlPair {
  readonly seen: ClientTime
  readonly sentMs: number
}

function pairItls({ atMs, tokens, bounds }: EventsResult, writtenMs: readonly number[]): ItlPair[] {
  const latest = (index: number) => atMs[tokens[index] ?? 0] ?? 0
  return tokens.slice(1).map((_event, before) => {
    const ms = latest(before + 1) - latest(before)
    const [from, to] = [bounds?.tokenMs[before], bounds?.tokenMs[before + 1]]
    const isBounded = from !== undefined && to !== undefined
    return {
      seen: {
        ms,
        lowMs: isBounded ? Math.max(0, to - latest(before)) : null,
        highMs: isBounded ? latest(before + 1) - from : null,
      },
      sentMs: (writtenMs[before + 2] ?? 0) - (writtenMs[before + 1] ?? 0),
    }
  })
}

function batchingOf(itls: readonly ItlPair[]): ComparedResponse['batching'] {
  const measurable = itls.filter(({ sentMs }) => sentMs >= MIN_ITL_MS)
  if (measurable.length < MIN_ITLS) return null
  const certain = measurable.filter((itl) => isCertain(itl))
  const judged = certain.length < MIN_ITLS ? measurable : certain
  const removed = judged.filter(({ seen, sentMs }) => seen.ms < sentMs * REMOVED_SHARE)
  if (removed.length === judged.length) return 'whole'
  return removed.length > judged.length * MAX_STALLED_SHARE ? 'partial' : 'none'
}

/**
 * Returns whether the bounds of an interval decide if the gateway removed it. They do not if the generator was late and read
 * several events together.
 */
function isCertain({ seen: { lowMs, highMs }, sentMs }: ItlPair): boolean {
  const limitMs = sentMs * REMOVED_SHARE
  return lowMs === null || highMs === null || highMs < limitMs || lowMs >= limitMs
}

/** Returns whether the upstream sent all tokens of a stream at once, although it has enough of them for the evaluation. */
function isSentAtOnce(writtenMs: readonly number[]): boolean {
  const tokens = writtenMs.length - Math.max(...OTHER_EVENTS)
  return tokens > MIN_ITLS && (writtenMs[tokens] ?? 0) - (writtenMs[1] ?? 0) < MIN_ITL_MS
}

/**
 * Returns the batching of a stream in which the gateway sent fewer events with a token than the upstream, because it
 * merged tokens.
 */
function batchingOfMergedEvents(events: number, writtenMs: readonly number[]): ComparedResponse['batching'] {
  const tokens = writtenMs.length - Math.max(...OTHER_EVENTS)
  const isMeasurable = tokens > 1 && (writtenMs[tokens] ?? 0) - (writtenMs[1] ?? 0) >= MIN_ITL_MS
  if (!isMeasurable || events >= tokens) return null
  return events === 1 ? 'whole' : 'partial'
}
