import type { Operation } from '../../contract/facts.ts'

/** One answer: when each of its events was due and when it was written, in milliseconds since the request came in. */
export interface AnswerTiming {
  readonly requestId: string
  readonly operation: Operation
  /** Requests that were being answered when this one came in, itself included. */
  readonly inFlight: number
  readonly plannedMs: ArrayLike<number>
  readonly writtenMs: ArrayLike<number>
}

/**
 * What the emulator says of its own punctuality. Bounded by the number of events and of answers: past either the oldest half
 * is forgotten. An answer that is not streamed has one event, one that the client left before its first has none.
 */
export class TimingRecord {
  readonly #mostEvents: number
  readonly #mostAnswers: number
  #answers: AnswerTiming[] = []
  #events = 0

  constructor(mostEvents = 500_000, mostAnswers = 50_000) {
    this.#mostEvents = mostEvents
    this.#mostAnswers = mostAnswers
  }

  add(answer: AnswerTiming): void {
    this.#answers.push(answer)
    this.#events += answer.plannedMs.length
    if (this.#events > this.#mostEvents || this.#answers.length > this.#mostAnswers) this.#forgetOldestHalf()
  }

  /** The answers that are remembered, oldest first. */
  answers(): readonly AnswerTiming[] {
    return this.#answers
  }

  clear(): void {
    this.#answers = []
    this.#events = 0
  }

  /** Half at a time, so that it costs little per answer. */
  #forgetOldestHalf(): void {
    let index = 0
    const isTooMuch = () => this.#events > this.#mostEvents / 2 || this.#answers.length - index > this.#mostAnswers / 2
    while (index < this.#answers.length && isTooMuch()) {
      this.#events -= this.#answers[index]?.plannedMs.length ?? 0
      index += 1
    }
    this.#answers = this.#answers.slice(index)
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
export function summarize(answers: readonly AnswerTiming[]): TimingSummary {
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
  return { answers: answers.length, first: latenessOf(first), all: latenessOf(all), last: latenessOf(last) }
}

function latenessOf(values: number[]): Lateness | null {
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
