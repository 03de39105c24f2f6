import { defineSummaryCheck, MAX_EVIDENCE } from '../../engine/check.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import type { MissingEvidence } from '../../findings/not-tested.ts'
import { findStreamErrorDeviation } from './chat-stream.ts'
import { findCachedResponses } from '../shared/repeated-responses.ts'
import { parseStream } from '../shared/stream.ts'

/** Minimum duration of a truncated stream that counts as timed out. Shorter streams are truncated for other reasons. */
const MIN_TIMEOUT_MS = 1000
/** Minimum duration of the longest complete stream for a pass, in milliseconds. */
const MIN_LONGEST_MS = 5000
/** Maximum difference of streams that the same timeout ended, in ms or as a fraction of the longest duration. */
const MAX_DIFFERENCE_MS = 300
const MAX_DIFFERENCE_SHARE = 0.03

const EXPECTED: Expectation = { rule: 'stream-end' }

const CUT_CONSEQUENCE =
  'clients treat the partial response as complete: they get no finish_reason, no [DONE] and no error'

const CONSEQUENCE =
  'longer responses stop in the middle: raise the timeout of the route for streams (Envoy: "timeout: 0s", which is 15 s by default; nginx: proxy_read_timeout; haproxy: timeout server)'

/** A stream that the target started to send and that reports no error. */
interface Stream {
  readonly logged: LoggedExchange
  readonly events: number
  readonly endMs: number
  /** Time of the first event, in milliseconds since the request. Some proxies start their timeout then. */
  readonly startMs: number
  /** Whether the stream ended without an error and contained `[DONE]` or a finish_reason in its last choice. */
  readonly isComplete: boolean
  /** Whether the connection closed in the middle of the response. */
  readonly isCut: boolean
}

function streamsOf(exchanges: readonly LoggedExchange[]): Stream[] {
  return exchanges
    .filter(({ operation, exchange: { wasAborted } }) => operation === 'chat' && wasAborted !== true)
    .filter(({ exchange: { status, events } }) => status >= 200 && status < 300 && events.length > 0)
    .filter(({ exchange }) => findStreamErrorDeviation(exchange) === undefined)
    .map((logged) => {
      const { events, totalMs, error } = logged.exchange
      const { done, withChoice } = parseStream(logged.exchange)
      const hasEnd = done !== undefined || typeof withChoice.at(-1)?.finishReason === 'string'
      const isCut = error?.kind === 'closed-early' || error?.kind === 'reset'
      const times = { startMs: events[0]?.atMs ?? 0, endMs: totalMs }
      return { logged, events: events.length, ...times, isComplete: error === undefined && hasEnd, isCut }
    })
}

/** Returns the duration of a stream, from its request or from its first event. */
type MeasureMs = (stream: Stream) => number

const MEASURES: readonly MeasureMs[] = [({ endMs }) => endMs, ({ startMs, endMs }) => endMs - startMs]

/**
 * Finds truncated streams of about the same duration, provided that no complete stream took longer. A single truncated
 * stream counts only if the target closed the connection properly, because a connection error may have a cause other
 * than a timeout.
 */
function findTimedOut(streams: readonly Stream[], measureMs: MeasureMs): readonly Stream[] {
  const complete = streams.filter(({ isComplete }) => isComplete)
  const longestMs = Math.max(0, ...complete.map(measureMs))
  const cut = streams.filter(({ isCut }) => isCut)
  const endless = streams.filter(({ isComplete, logged }) => !isComplete && logged.exchange.error === undefined)
  const early = complete.length === 0 ? cut : [...cut, ...endless]
  const endsMs = early.map(measureMs)
  const [firstMs, lastMs] = [Math.min(...endsMs), Math.max(...endsMs)]
  const isSameTime = lastMs - firstMs <= Math.max(MAX_DIFFERENCE_MS, lastMs * MAX_DIFFERENCE_SHARE)
  const isEnough = early.length >= 2 || early.length > cut.length
  return isEnough && isSameTime && firstMs >= MIN_TIMEOUT_MS && lastMs > longestMs ? early : []
}

function missingOf(streams: readonly Stream[]): MissingEvidence {
  if (streams.length === 0) return 'recorded-stream'
  // The suite ended these streams, not the target.
  if (streams.some(({ logged }) => logged.exchange.error?.kind === 'timeout')) return 'deadline'
  return streams.every(({ logged }) => logged.exchange.error === undefined) ? 'recognizable-end' : 'stream-ends'
}

/** Evaluates a run without timed-out streams by its longest stream. A short one is only an observation. */
function evaluateComplete(streams: readonly Stream[], complete: readonly Stream[]): Outcome {
  if (complete.length < streams.length || complete.length === 0) {
    return expect.markNotTestable({ code: 'no-evidence', params: { missing: missingOf(streams) } })
  }
  const longestMs = Math.round(Math.max(...complete.map(({ endMs }) => endMs)))
  const seen = { kind: 'complete-streams', streams: complete.length, longestMs } as const
  return longestMs < MIN_LONGEST_MS ? expect.observeFact({ ...seen, isTooShort: true }) : expect.pass(EXPECTED, seen)
}

/** Returns the streams without an end that a cache sent again, each with the stream that the cache had kept. */
function findRepeated(
  exchanges: readonly LoggedExchange[],
  endless: readonly Stream[],
): { readonly first: LoggedExchange; readonly logged: LoggedExchange }[] {
  const findCached = findCachedResponses(exchanges)
  return endless.flatMap(({ logged }) => {
    const first = findCached(logged)
    return first === undefined ? [] : [{ first, logged }]
  })
}

export const streamsCompleteCheck = defineSummaryCheck({
  id: '4.2/stream-time-out',
  requirement: '4.2/stream-pace',
  title: 'does not cut off a stream before its end, for example after a fixed time',
  operation: 'chat',
  summarize({ exchanges }) {
    const streams = streamsOf(exchanges)
    const complete = streams.filter(({ isComplete }) => isComplete)
    const endless = streams.filter(({ isComplete, logged }) => !isComplete && logged.exchange.error === undefined)
    const repeated = findRepeated(exchanges, endless)
    const measureMs = MEASURES.find((measure) => findTimedOut(streams, measure).length > 0)
    if (measureMs !== undefined && repeated.length === 0) {
      const timedOut = findTimedOut(streams, measureMs)
      const params = {
        streams: timedOut.length,
        afterMs: Math.round(Math.min(...timedOut.map(measureMs))),
        events: timedOut.map(({ events }) => events),
        complete: complete.length,
      }
      const outcome = expect.warn(EXPECTED, { code: 'streams-timed-out', params }, CONSEQUENCE)
      return { outcome, evidence: timedOut.map(({ logged }) => logged) }
    }
    if (endless.length > 0 && complete.length > 0) {
      const shown = endless.slice(0, MAX_EVIDENCE)
      const [again] = repeated
      const params = {
        streams: endless.length,
        events: shown.map(({ events }) => events),
        complete: complete.length,
        ...(again === undefined ? {} : { repeated: repeated.length }),
      }
      const outcome = expect.warn(EXPECTED, { code: 'streams-without-end', params }, CUT_CONSEQUENCE)
      if (again === undefined) return { outcome, evidence: shown.map(({ logged }) => logged) }
      const pair = [again.first, again.logged]
      return { outcome: { ...outcome, sequence: pair.map(({ exchange }) => exchange) }, evidence: pair }
    }
    return { outcome: evaluateComplete(streams, complete) }
  },
})
