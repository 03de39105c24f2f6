import type { TextEvent } from '../shared/stream.ts'

/** A time in which this process did not run, in milliseconds. */
export interface Stall {
  readonly startMs: number
  readonly endMs: number
}

/** Interval between two beats of the watch, in milliseconds. */
const BEAT_MS = 5
/** Minimum time between two beats that shows a stall, in milliseconds. */
const MIN_STALL_MS = 20

/** Watches for times in which this process does not run, for example because other programs use the processor. */
export class StallWatch implements Disposable {
  readonly #stalls: Stall[] = []
  #lastMs = performance.now()
  readonly #timer = setInterval(() => this.#beat(), BEAT_MS)

  #beat(): void {
    const nowMs = performance.now()
    if (nowMs - this.#lastMs >= MIN_STALL_MS) this.#stalls.push({ startMs: this.#lastMs, endMs: nowMs })
    this.#lastMs = nowMs
  }

  /** Lists the stalls so far, in milliseconds after `startMs`, a time of `performance.now()`. */
  listSince(startMs: number): readonly Stall[] {
    this.#beat()
    return this.#stalls
      .filter(({ endMs }) => endMs > startMs)
      .map((stall) => ({ startMs: Math.max(0, stall.startMs - startMs), endMs: stall.endMs - startMs }))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

/** Returns the earliest time at which bytes may have arrived that this process read at `atMs`. */
export function findEarliestArrival(atMs: number, stalls: readonly Stall[]): number {
  return findStall(atMs, stalls)?.startMs ?? atMs
}

function findStall(atMs: number, stalls: readonly Stall[]): Stall | undefined {
  return stalls.find(({ startMs, endMs }) => atMs > startMs && atMs <= endMs + BEAT_MS)
}

/**
 * Removes the stalls of this process from the times of events. After a stall, the process reads all events that arrived
 * during it together. It cannot know when they arrived, so the result omits them, and the time of the stall.
 */
export function removeStalls(events: readonly TextEvent[], stalls: readonly Stall[]): readonly TextEvent[] {
  return events
    .filter(({ event: { atMs } }) => findStall(atMs, stalls) === undefined)
    .map(({ event, length }) => {
      const before = stalls.filter(({ endMs }) => endMs <= event.atMs)
      const stalledMs = before.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)
      return { event: { ...event, atMs: event.atMs - stalledMs }, length }
    })
}
