import type { Operation } from '../../contract/facts.ts'

/** One answer: when each of its events was due and when it was written, in milliseconds since the request came in. */
export interface ResponseTiming {
  readonly requestId: string
  readonly operation: Operation
  /** Requests that were being answered when this one came in, itself included. */
  readonly inFlight: number
  readonly plannedMs: ArrayLike<number>
  readonly writtenMs: ArrayLike<number>
}

/**
 * What the emulator says of its own punctuality. Bounded by the number of events and of answers: past half of either the
 * older half is forgotten. An answer that is not streamed has one event, one that the client left before its first has none.
 * Of an answer with more events than half of all, the first are kept.
 */
export class TimingLog {
  readonly #maxEventsPerBlock: number
  readonly #maxResponsesPerBlock: number
  #older: TimingBlock | undefined
  #newer: TimingBlock | undefined

  constructor(mostEvents = 500_000, mostAnswers = 50_000) {
    this.#maxEventsPerBlock = Math.floor(mostEvents / 2)
    this.#maxResponsesPerBlock = Math.floor(mostAnswers / 2)
  }

  add(answer: ResponseTiming): void {
    if (this.#newer?.hasRoomFor(answer) !== true) {
      this.#older = this.#newer
      this.#newer = new TimingBlock(this.#maxEventsPerBlock, this.#maxResponsesPerBlock)
    }
    this.#newer?.add(answer)
  }

  /** The answers that are remembered, oldest first. */
  list(): readonly ResponseTiming[] {
    return [...(this.#older?.list() ?? []), ...(this.#newer?.list() ?? [])]
  }

  clear(): void {
    this.#older = undefined
    this.#newer = undefined
  }
}

/**
 * A part of the record that is forgotten as a whole. All times stand in two arrays, since objects of each answer that live
 * so long would cost more than they hold. Single precision: exact to a microsecond up to 16 s.
 */
class TimingBlock {
  readonly #plannedMs: Float32Array
  readonly #writtenMs: Float32Array
  readonly #maxResponses: number
  readonly #responses: (Omit<ResponseTiming, 'plannedMs' | 'writtenMs'> & {
    readonly begin: number
    readonly end: number
  })[] = []
  #events = 0

  constructor(mostEvents: number, mostAnswers: number) {
    this.#plannedMs = new Float32Array(mostEvents)
    this.#writtenMs = new Float32Array(mostEvents)
    this.#maxResponses = mostAnswers
  }

  /** Whether there is room for it, or there never would be more. */
  hasRoomFor({ plannedMs }: ResponseTiming): boolean {
    const fits = this.#events === 0 || this.#events + plannedMs.length <= this.#plannedMs.length
    return fits && this.#responses.length < this.#maxResponses
  }

  add({ requestId, operation, inFlight, plannedMs, writtenMs }: ResponseTiming): void {
    const begin = this.#events
    const end = Math.min(begin + plannedMs.length, this.#plannedMs.length)
    for (let index = begin; index < end; index += 1) {
      this.#plannedMs[index] = plannedMs[index - begin] ?? 0
      this.#writtenMs[index] = writtenMs[index - begin] ?? 0
    }
    this.#events = end
    this.#responses.push({ requestId, operation, inFlight, begin, end })
  }

  list(): ResponseTiming[] {
    return this.#responses.map(({ begin, end, ...head }) => ({
      ...head,
      plannedMs: this.#plannedMs.subarray(begin, end),
      writtenMs: this.#writtenMs.subarray(begin, end),
    }))
  }
}

/** How late events were, in milliseconds: written less planned. */
export interface Lateness {
  readonly n: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** Lateness of first events, of all events and of last events. Null where nothing was recorded. */
export interface TimingSummary {
  readonly answers: number
  readonly first: Lateness | null
  readonly all: Lateness | null
  readonly last: Lateness | null
}

/** Sums up a record. */
export function summarize(answers: readonly ResponseTiming[]): TimingSummary {
  const first: number[] = []
  const all: number[] = []
  const last: number[] = []
  for (const { plannedMs, writtenMs } of answers) {
    const count = writtenMs.length
    for (let index = 0; index < count; index += 1) {
      const latenessMs = (writtenMs[index] ?? 0) - (plannedMs[index] ?? 0)
      all.push(latenessMs)
      if (index === 0) first.push(latenessMs)
      if (index === count - 1) last.push(latenessMs)
    }
  }
  return {
    answers: answers.length,
    first: summarizeLateness(first),
    all: summarizeLateness(all),
    last: summarizeLateness(last),
  }
}

function summarizeLateness(values: number[]): Lateness | null {
  if (values.length === 0) return null
  const sorted = Float64Array.from(values).sort()
  // Nearest rank: the smallest value that at least this share of all does not exceed.
  const rank = (share: number) => round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0)
  return { n: sorted.length, p50Ms: rank(0.5), p90Ms: rank(0.9), p99Ms: rank(0.99), maxMs: rank(1) }
}

/** To microseconds: more would be noise. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
