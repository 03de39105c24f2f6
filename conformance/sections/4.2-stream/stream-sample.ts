import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { RequestOptions } from '../../requests/api-request.ts'
import * as expect from '../../findings/expect.ts'
import { type ArrivalPattern, findArrivalPattern } from './arrival-pattern.ts'
import { buildLongCompletion } from '../shared/long-completion.ts'
import { listTextEvents } from '../shared/stream.ts'
import { measureStream } from './stream-length.ts'

/** Interval between measurements of the event loop delay, in milliseconds. */
const RESOLUTION_MS = 10
/**
 * Maximum fraction of a stream's duration in which this process may be stalled. Events that arrive during a stall are
 * read together, which looks like a burst.
 */
const MAX_STALLED_SHARE = 0.5
/** Minimum fraction of a pause that a stall of this process must cover to count as its cause. */
const MIN_STALL_OF_PAUSE = 0.5

/** A measured stream, with the stalls of this process while it read the stream. */
export interface Sample {
  readonly response: Exchange
  readonly pattern: ArrivalPattern
  /** Length of the completion: its words or its events with text, whichever is larger. Both are a minimum of its tokens. */
  readonly size: number
  /** Fraction of the stream's duration in which this process was stalled and could not read. */
  readonly stalledShare: number
  readonly longestStallMs: number
}

/**
 * Requests a stream of a long completion with this `max_tokens`, and measures the arrival of its events. In a compressed
 * stream, an event arrives when a client can decode it.
 */
export async function sendStream(
  context: CheckContext,
  maxTokens: number,
  options: Pick<RequestOptions, 'headers'> = {},
): Promise<Sample> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const fields = { messages: buildLongCompletion(context.nonce()), max_tokens: maxTokens, stream: true }
  const response = await context.chat(fields, options)
  delay.disable()
  const events = expect.isServed(response) ? listTextEvents(response) : []
  const pattern = findArrivalPattern(
    events.map(({ event }) => event),
    events.map(({ length }) => length),
  )
  const isMeasured = delay.count > 0
  const stalledMs = isMeasured ? delay.count * (delay.mean / 1e6 - RESOLUTION_MS) : 0
  return {
    response,
    pattern,
    size: Math.max(pattern.events, measureStream(response).words),
    stalledShare: stalledMs / Math.max(pattern.lastMs, 1),
    longestStallMs: isMeasured ? delay.max / 1e6 - RESOLUTION_MS : 0,
  }
}

/** Returns whether stalls of this process, rather than the target, may have caused the arrival pattern. */
export function isUnreliable({ pattern, stalledShare, longestStallMs }: Sample): boolean {
  if (pattern.kind !== 'bursts' && pattern.kind !== 'unclear') return false
  return stalledShare > MAX_STALLED_SHARE && longestStallMs > pattern.pauseMs * MIN_STALL_OF_PAUSE
}
