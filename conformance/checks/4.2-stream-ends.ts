import { type AnyCheck, defineSummaryCheck } from '../engine/check.ts'
import type { LoggedExchange } from '../engine/run-log.ts'
import * as expect from '../outcomes/expect.ts'
import type { Expectation } from '../outcomes/outcome.ts'
import { readStream } from './stream.ts'

/** Shorter streams that are cut have other causes than a time-out. */
const MIN_TIMEOUT_MS = 1000
/** Streams whose durations differ by no more than this count as equally long. */
const MAX_DIFFERENCE_MS = 300
const MAX_DIFFERENCE_SHARE = 0.03

const EXPECTED: Expectation = { rule: 'stream-end' }

const CONSEQUENCE =
  'replies that take longer stop in the middle: raise the time-out of the route for streams (Envoy: "timeout: 0s", which is 15 s by default; nginx: proxy_read_timeout; haproxy: timeout server)'

/** A stream that the target began, however it ended. */
interface Stream {
  readonly logged: LoggedExchange
  readonly events: number
  readonly endMs: number
  /** True if clients can see that it is complete. */
  readonly isComplete: boolean
  /** True if the connection ended before the response did. */
  readonly isCut: boolean
}

function streamsOf(exchanges: readonly LoggedExchange[]): Stream[] {
  return exchanges
    .filter(({ operation, exchange: { wasAborted } }) => operation === 'chat' && wasAborted !== true)
    .filter(({ exchange: { status, events } }) => status === 200 && events.length > 0)
    .map((logged) => {
      const { events, totalMs, error } = logged.exchange
      const { done, withChoice } = readStream(logged.exchange)
      const hasEnd = done !== undefined || typeof withChoice.at(-1)?.finishReason === 'string'
      const isCut = error?.kind === 'closed-early' || error?.kind === 'reset'
      return { logged, events: events.length, endMs: totalMs, isComplete: error === undefined && hasEnd, isCut }
    })
}

/**
 * Finds streams without an end that all stopped after about the same time, if no complete stream took longer. A single
 * cut connection may have another cause, unless the connection was closed properly.
 */
function findTimedOut(streams: readonly Stream[]): readonly Stream[] {
  const complete = streams.filter(({ isComplete }) => isComplete)
  const longestMs = Math.max(0, ...complete.map(({ endMs }) => endMs))
  const cut = streams.filter(({ isCut }) => isCut)
  const endless = streams.filter(({ isComplete, logged }) => !isComplete && logged.exchange.error === undefined)
  const early = complete.length === 0 ? cut : [...cut, ...endless]
  const endsMs = early.map(({ endMs }) => endMs)
  const [firstMs, lastMs] = [Math.min(...endsMs), Math.max(...endsMs)]
  const isSameTime = lastMs - firstMs <= Math.max(MAX_DIFFERENCE_MS, lastMs * MAX_DIFFERENCE_SHARE)
  const isEnough = early.length >= 2 || early.length > cut.length
  return isEnough && isSameTime && firstMs >= MIN_TIMEOUT_MS && lastMs > longestMs ? early : []
}

export const streamsUncutCheck = defineSummaryCheck({
  id: '4.2/stream-time-out',
  requirement: '4.2/stream-pace',
  title: 'cuts no stream after a fixed time',
  operation: 'chat',
  summarize({ exchanges }) {
    const streams = streamsOf(exchanges)
    const timedOut = findTimedOut(streams)
    const complete = streams.filter(({ isComplete }) => isComplete).length
    if (timedOut.length > 0) {
      const params = {
        streams: timedOut.length,
        afterMs: Math.round(Math.min(...timedOut.map(({ endMs }) => endMs))),
        events: timedOut.map(({ events }) => events),
        complete,
      }
      const outcome = expect.warned(EXPECTED, { code: 'streams-timed-out', params }, CONSEQUENCE)
      return { outcome, evidence: timedOut.map(({ logged }) => logged) }
    }
    const outcome =
      complete === streams.length && complete > 0
        ? expect.passed(EXPECTED, { kind: 'every-response', responses: complete })
        : expect.notTestable({ code: 'no-evidence', params: { missing: 'stream-ends' } })
    return { outcome, evidence: [] }
  },
})

export const streamEndChecks: readonly AnyCheck[] = [streamsUncutCheck]
