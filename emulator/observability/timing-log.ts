import type { ServedOperationName } from '../operations/served-operations.ts'
import { roundToMicroseconds } from '../state/clock.ts'

/** Planned and actual write times of a response's events, in milliseconds since the arrival of the request. */
export interface TimingLogEntry {
  readonly requestId: string
  readonly operation: ServedOperationName
  /** Number of requests in flight when this request arrived, including this one. */
  readonly inFlight: number
  readonly plannedMs: ArrayLike<number>
  readonly writtenMs: ArrayLike<number>
}

/**
 * Stores the write times of response events. A non-streaming response has one event; a stream aborted before its
 * first event has none.
 *
 * The log has two blocks, each with half of the maximum number of events and responses. When the newer block is full,
 * the log drops the older block. If a response has more events than a block can store, only its first events are
 * stored.
 */
export class TimingLog {
  readonly #maxEventsPerBlock: number
  readonly #maxResponsesPerBlock: number
  #older: TimingBlock | undefined
  #newer: TimingBlock | undefined

  constructor(maxEvents = 500_000, maxResponses = 50_000) {
    this.#maxEventsPerBlock = Math.floor(maxEvents / 2)
    this.#maxResponsesPerBlock = Math.floor(maxResponses / 2)
  }

  add(response: TimingLogEntry): void {
    if (this.#newer?.hasRoomFor(response) !== true) {
      this.#older = this.#newer
      this.#newer = new TimingBlock(this.#maxEventsPerBlock, this.#maxResponsesPerBlock)
    }
    this.#newer?.add(response)
  }

  /** Returns the stored responses, oldest first. */
  list(): readonly TimingLogEntry[] {
    return [...(this.#older?.list() ?? []), ...(this.#newer?.list() ?? [])]
  }

  clear(): void {
    this.#older = undefined
    this.#newer = undefined
  }
}

/**
 * One half of the timing log. Two typed arrays contain all times, because they need less memory than an object per
 * response. Single precision is exact to one microsecond up to 16 s.
 */
class TimingBlock {
  readonly #plannedMs: Float32Array
  readonly #writtenMs: Float32Array
  readonly #maxResponses: number
  readonly #responses: (Omit<TimingLogEntry, 'plannedMs' | 'writtenMs'> & {
    readonly begin: number
    readonly end: number
  })[] = []
  #events = 0

  constructor(maxEvents: number, maxResponses: number) {
    this.#plannedMs = new Float32Array(maxEvents)
    this.#writtenMs = new Float32Array(maxEvents)
    this.#maxResponses = maxResponses
  }

  /** Checks whether the block can store the response. An empty block accepts every response. */
  hasRoomFor({ plannedMs }: TimingLogEntry): boolean {
    const fits = this.#events === 0 || this.#events + plannedMs.length <= this.#plannedMs.length
    return fits && this.#responses.length < this.#maxResponses
  }

  add({ requestId, operation, inFlight, plannedMs, writtenMs }: TimingLogEntry): void {
    const begin = this.#events
    const end = Math.min(begin + plannedMs.length, this.#plannedMs.length)
    for (let index = begin; index < end; index += 1) {
      this.#plannedMs[index] = plannedMs[index - begin] ?? 0
      this.#writtenMs[index] = writtenMs[index - begin] ?? 0
    }
    this.#events = end
    this.#responses.push({ requestId, operation, inFlight, begin, end })
  }

  list(): TimingLogEntry[] {
    return this.#responses.map(({ begin, end, ...head }) => ({
      ...head,
      plannedMs: this.#plannedMs.subarray(begin, end),
      writtenMs: this.#writtenMs.subarray(begin, end),
    }))
  }
}

/** Distribution of write delays in milliseconds. A write delay is the actual minus the planned write time. */
export interface WriteDelaySummary {
  readonly n: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/**
 * Write delays of three kinds of events: the first, all, and the last event of each response. Null if there are no
 * events.
 */
export interface TimingSummary {
  readonly responses: number
  readonly first: WriteDelaySummary | null
  readonly all: WriteDelaySummary | null
  readonly last: WriteDelaySummary | null
}

export function summarizeTimings(responses: readonly TimingLogEntry[]): TimingSummary {
  const first: number[] = []
  const all: number[] = []
  const last: number[] = []
  for (const { plannedMs, writtenMs } of responses) {
    const count = writtenMs.length
    for (let index = 0; index < count; index += 1) {
      const latenessMs = (writtenMs[index] ?? 0) - (plannedMs[index] ?? 0)
      all.push(latenessMs)
      if (index === 0) first.push(latenessMs)
      if (index === count - 1) last.push(latenessMs)
    }
  }
  return {
    responses: responses.length,
    first: summarizeDelays(first),
    all: summarizeDelays(all),
    last: summarizeDelays(last),
  }
}

function summarizeDelays(values: number[]): WriteDelaySummary | null {
  if (values.length === 0) return null
  const sorted = Float64Array.from(values).sort()
  // Computes a percentile by the nearest-rank method.
  const rank = (share: number) => roundToMicroseconds(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0)
  return { n: sorted.length, p50Ms: rank(0.5), p90Ms: rank(0.9), p99Ms: rank(0.99), maxMs: rank(1) }
}
