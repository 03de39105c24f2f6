import type { StreamEvent } from '../../http/exchange.ts'

/** Arrival pattern of the events of a stream. Times are in milliseconds since the start of the request. */
export interface ArrivalPattern {
  /**
   * - `steady`: events arrive one by one.
   * - `bursts`: many events arrive at a time, with pauses in between.
   * - `together`: nearly all text arrives at one time.
   * - `unclear`: there are too few events, or too little time between them.
   */
  readonly kind: 'steady' | 'bursts' | 'together' | 'unclear'
  /** Number of events. If they arrived together, the number of those events. */
  readonly events: number
  /** Number of groups of events that arrived together. */
  readonly groups: number
  /** Times of the first and the last of these events. */
  readonly firstMs: number
  readonly lastMs: number
  /** Median length of the pauses, in milliseconds. Pauses are the gaps that make up most of the duration. */
  readonly pauseMs: number
}

/** Minimum number of events that have a clear pattern. The pattern of fewer events may be coincidence. */
const MIN_EVENTS = 6
/** Minimum fraction of the duration that the pauses make up. Pauses are the largest gaps. */
const PAUSE_TIME_SHARE = 0.8
/** Maximum gap between events that arrive together, as a fraction of a pause. */
const TOGETHER_SHARE = 0.1
/** Fraction of events that arrive with the previous one, from which a stream is not steady: buffers join nearly all. */
const MAX_JOINED_SHARE = 0.5
/** Fraction of the text in one group from which the whole stream counts as arriving together. */
const MIN_SHARE_OF_ONE_GROUP = 0.9
/** Minimum duration of a steady stream, in milliseconds. A shorter one may have arrived from one queue. */
const MIN_STEADY_MS = 100
/** Minimum length of a pause that is noticeable between groups of any size, in milliseconds. */
const LONG_PAUSE_MS = 150
/** Minimum length of a shorter pause, in milliseconds. Such pauses count only between large groups of tokens. */
const SHORT_PAUSE_MS = 50
const MIN_GROUP_EVENTS = 8
/** Minimum time per event of a large response, in milliseconds. The rounds of TCP look like faster bursts. */
const MIN_MS_PER_EVENT = 2.5
/** Size of a response that TCP sends in one round trip: the initial window of ten segments. */
const ONE_ROUND_BYTES = 14_000
/** Maximum time until all events of a stream that arrives together, in ms or as a fraction of the duration. */
const MAX_TOGETHER_MS = 20
const MAX_TOGETHER_SHARE = 0.1

/**
 * Finds the arrival pattern of events.
 * @param lengths length of the text of each event, in any unit. Default: all events are equally long.
 */
export function findArrivalPattern(
  events: readonly StreamEvent[],
  lengths: readonly number[] = events.map(() => 1),
): ArrivalPattern {
  const times = events.map(({ atMs }) => atMs)
  const firstMs = times[0] ?? 0
  const lastMs = times.at(-1) ?? 0
  const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs))
  const pauseMs = typicalPauseMs(gaps, lastMs - firstMs)
  const groups = splitAtGaps(lengths, gaps, pauseMs * TOGETHER_SHARE)
  const [largest] = groups.toSorted((a, b) => b.length - a.length)
  const measured = { events: times.length, groups: groups.length, firstMs, lastMs, pauseMs }
  const textLength = lengths.reduce((sum, length) => sum + length, 0)
  if (largest !== undefined && largest.length >= textLength * MIN_SHARE_OF_ONE_GROUP) {
    const { first, events: count } = largest
    const ofGroup = { firstMs: times[first] ?? 0, lastMs: times[first + count - 1] ?? 0 }
    return { kind: 'together', ...measured, events: count, ...ofGroup }
  }
  const bytes = events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0)
  return { kind: classify(measured, bytes), ...measured }
}

function classify(measured: Omit<ArrivalPattern, 'kind'>, bytes: number): ArrivalPattern['kind'] {
  const { events, groups, firstMs, lastMs, pauseMs } = measured
  const spreadMs = lastMs - firstMs
  if (events < MIN_EVENTS) return 'unclear'
  if (spreadMs < MAX_TOGETHER_MS) return 'together'
  const joinedShare = (events - groups) / (events - 1)
  if (joinedShare < MAX_JOINED_SHARE) return spreadMs >= MIN_STEADY_MS ? 'steady' : 'unclear'
  const isLarge = events >= groups * MIN_GROUP_EVENTS
  const isNoticed = pauseMs >= LONG_PAUSE_MS || (pauseMs >= SHORT_PAUSE_MS && isLarge)
  const isOneRound = bytes <= ONE_ROUND_BYTES
  if (isNoticed && (isOneRound || spreadMs >= events * MIN_MS_PER_EVENT)) return 'bursts'
  return spreadMs <= lastMs * MAX_TOGETHER_SHARE ? 'together' : 'unclear'
}

function typicalPauseMs(gaps: readonly number[], totalMs: number): number {
  const largestFirst = gaps.toSorted((a, b) => b - a)
  let sumMs = 0
  let count = 0
  while (count < largestFirst.length && sumMs < totalMs * PAUSE_TIME_SHARE) {
    sumMs += largestFirst[count] ?? 0
    count += 1
  }
  return largestFirst[Math.floor(count / 2)] ?? 0
}

/** Events that arrived together: the index of the first one, their number, and the length of their text. */
interface EventGroup {
  readonly first: number
  events: number
  length: number
}

function splitAtGaps(lengths: readonly number[], gaps: readonly number[], maxGapMs: number): readonly EventGroup[] {
  const groups: EventGroup[] = []
  for (const [index, length] of lengths.entries()) {
    const last = groups.at(-1)
    if (last === undefined || (gaps[index - 1] ?? 0) > maxGapMs) groups.push({ first: index, events: 1, length })
    else {
      last.events += 1
      last.length += length
    }
  }
  return groups
}
