import type { CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { RequestOptions } from '../../requests/api-request.ts'
import * as expect from '../../findings/expect.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { type ArrivalPattern, findArrivalPattern } from './arrival-pattern.ts'
import { buildLongCompletion } from '../shared/long-completion.ts'
import { listTextEvents, type TextEvent } from '../shared/stream.ts'
import { findEarliestArrival, removeStalls, type Stall, StallWatch } from './stalls.ts'
import { measureStream } from './stream-length.ts'

export interface Sample {
  readonly response: Exchange
  readonly pattern: ArrivalPattern
  /** Lower bound of the completion's tokens: the number of its words, or of its events with text if that is larger. */
  readonly size: number
}

/** Time that users do not notice, in milliseconds. A buffer that delays a stream by less has no effect. */
export const UNNOTICED_MS = 500

/**
 * Returns the outcome of streams whose pattern is unclear. If all of them were complete within a time that users do not
 * notice, nothing is missing: the target is too fast to show a pattern. Otherwise, bursts in some of them may come from a
 * buffer.
 */
export function describeUnclear(samples: readonly Sample[]): Outcome {
  const slowest = samples.toSorted((a, b) => b.pattern.lastMs - a.pattern.lastMs)[0]?.pattern
  const areFast = samples.every(({ pattern: { events, lastMs } }) => events > 0 && lastMs < UNNOTICED_MS)
  if (slowest !== undefined && areFast) {
    return expect.observeFact({ kind: 'fast-stream', events: slowest.events, afterMs: Math.ceil(slowest.lastMs) })
  }
  return expect.markNoEvidence(
    samples.some(({ pattern: { kind } }) => kind === 'bursts') ? 'certain-bursts' : 'event-times',
  )
}

/**
 * Requests a stream of a long completion with this `max_tokens`, and measures the arrival of its events. In a compressed
 * stream, an event arrives when a client can decode it. Pauses of this process do not count as pauses of the stream.
 */
export async function sendStream(
  context: CheckContext,
  maxTokens: number,
  options: Pick<RequestOptions, 'headers'> = {},
): Promise<Sample> {
  using watch = new StallWatch()
  let sentMs = Infinity
  const fields = { messages: buildLongCompletion(context.nonce()), max_tokens: maxTokens, stream: true }
  const response = await context.chat(fields, { ...options, onSend: () => void (sentMs = performance.now()) })
  const events = expect.isServed(response) ? listTextEvents(response) : []
  const pattern = findPattern(events, watch.listSince(sentMs))
  return { response, pattern, size: Math.max(events.length, measureStream(response).words) }
}

/**
 * Finds the arrival pattern of events. If this process stalled, events that arrived one by one may look like bursts, so
 * only those that it read in time count as bursts. The first event may then have arrived at any time of the stall, so the
 * pattern starts with the stall.
 */
export function findPattern(events: readonly TextEvent[], stalls: readonly Stall[]): ArrivalPattern {
  const patternOf = (timed: readonly TextEvent[]): ArrivalPattern =>
    findArrivalPattern(
      timed.map(({ event }) => event),
      timed.map(({ length }) => length),
    )
  const asRead = patternOf(events)
  if (stalls.length === 0 || asRead.kind === 'steady') return asRead
  const arrived = { ...asRead, firstMs: findEarliestArrival(asRead.firstMs, stalls) }
  if (asRead.kind === 'together') return arrived
  const inTime = patternOf(removeStalls(events, stalls))
  if (inTime.kind === 'steady') return inTime
  return inTime.kind === 'bursts' ? arrived : { ...arrived, kind: 'unclear' }
}
