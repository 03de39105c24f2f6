import { defineFinding } from './define.ts'
import { formatExcerpt } from './json-excerpt.ts'
import type { JsonExcerpt, ResponseParams } from './fact-params.ts'
import { formatCount } from '../../common/format-count.ts'
import { describeResponse } from './responses.ts'

/** What is wrong with the form of streams: the sentence of a finding, and the title of a cause. */
const STREAM_PROBLEMS = {
  'no-events': ['the body contains no event', 'Streams have no events'],
  'no-chunks': ['there is no event besides [DONE]', 'Streams have no event besides [DONE]'],
  'no-choices': ['no event has choices', 'Streams have no event with choices'],
  'not-json': ['an event is not a JSON object', 'Stream events are not JSON'],
  'several-indexes': ['the indexes differ', 'Chunks of a stream with one choice have different indexes'],
  'several-ids': ['the ids differ', 'Chunks of one stream have different ids'],
  'wrong-role': ['the role in the first delta is wrong', 'Streams begin with a role other than `assistant`'],
  'no-role': ['the first delta has no role', 'Streams do not send the role in the first delta'],
  'content-not-text': ['a delta.content is not a string', 'The content of chunks is not a string'],
  'no-spaces': [
    'the text of the deltas contains no space',
    'The text of streams has no spaces: a gateway may trim the text of each chunk',
  ],
  'repeated-text': ['the deltas repeat text that the stream has already sent', 'Streams repeat their text'],
  'no-content': ['no delta has content', 'Stream chunks have no content'],
  'no-end': [
    'the stream ends without a finish_reason and without [DONE]',
    'Streams end without a finish_reason and without [DONE], so that clients cannot detect a cut',
  ],
  'no-finish-reason': ['no chunk has a finish_reason', 'Streams end without a finish_reason'],
  'early-finish-reason': [
    'an earlier chunk contains a finish_reason, and text follows it',
    'Chunks before the last one have a finish_reason',
  ],
  'other-finish-reason': [
    'the finish_reason is none of stop, length, tool_calls, content_filter and function_call',
    'Streams end with an unusual finish_reason',
  ],
  'repeated-finish-reason': ['two chunks contain a finish_reason', 'Streams send the finish_reason twice'],
  'error-member': ['a chunk contains "error"', 'Stream chunks have a field `error`'],
  'empty-choices': ['an event has no choices', 'Streams have events without choices'],
  'no-done': ['there is no [DONE]', 'Streams end without [DONE]'],
  'event-after-done': ['events follow after [DONE]', 'Streams continue after [DONE]'],
  'no-blank-line': ['the blank line after the last frame is missing', 'Streams end without a blank line'],
} as const

export type StreamProblem = keyof typeof STREAM_PROBLEMS

const STREAM_ERRORS = {
  'event-name': 'an event is named "error"',
  type: 'an event has the type "error"',
  'error-member': 'an event reports an error',
} as const

/** End-of-stream markers that a stream contains and that clients recognize. */
export type StreamEnd = { readonly finishReason: boolean; readonly done: boolean }

function describeEnd({ finishReason, done }: StreamEnd): string {
  return `${finishReason ? 'with' : 'without'} a finish_reason and ${done ? 'with' : 'without'} [DONE]`
}

function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

/** How the owner of a target turns off the buffering of streams. */
export const BUFFERING_REMEDY =
  'turn off response buffering in the proxy in front of the service (nginx: "proxy_buffering off", haproxy: "option http-no-delay"; see docs/reference/buffered-streams.md for other proxies)'

function describeArrival(events: number, spreadMs: number): string {
  return events === 1 ? 'the text arrived in one event,' : `${events} events arrived within ${spreadMs} ms,`
}

const BUFFERED = 'Streams are buffered: their events arrive in groups or all at the end'

export const STREAMS = {
  'stream-malformed': defineFinding<{ readonly problem: StreamProblem; readonly actual?: JsonExcerpt }>({
    // A cut stream looks like this, whether a few streams are cut or all of them.
    harm: ({ problem }) => (problem === 'no-end' ? 'data' : 'form'),
    sentence: ({ problem, actual }) => {
      const [sentence] = STREAM_PROBLEMS[problem]
      return actual === undefined ? sentence : `${sentence}: ${formatExcerpt(actual)}`
    },
    title: ({ problem }) => STREAM_PROBLEMS[problem][1],
    groupBy: ({ problem }) => [problem],
  }),
  'error-in-stream': defineFinding<{ readonly form: keyof typeof STREAM_ERRORS; readonly actual: JsonExcerpt }>({
    harm: 'hidden-error',
    sentence: ({ form, actual }) => `${STREAM_ERRORS[form]}: ${formatExcerpt(actual)}`,
    title: (_params, { isParallel }) =>
      `Valid requests for streams get an event that reports an error${isParallel ? ' if others run in parallel' : ''}`,
  }),
  'stream-cut': defineFinding<{ readonly end: StreamEnd; readonly singleEnd: StreamEnd }>({
    harm: 'data',
    sentence: ({ end, singleEnd }) =>
      `the stream ends ${describeEnd(end)}; a single stream ends ${describeEnd(singleEnd)}`,
    title: () => 'Parallel streams end early',
  }),
  /** `properties` are the emulator options that give a stream the same form, such as `line-ends=cr`. */
  'unread-form': defineFinding<{ readonly properties: readonly string[] }>({
    harm: 'data',
    sentence: ({ properties }) =>
      `the standard of server-sent events permits the form of the frames, but some clients cannot read it (${properties.join(', ')})`,
    title: () => 'Streams have a form that some clients cannot read',
    groupBy: ({ properties }) => properties,
  }),
  'not-served-after-aborts': defineFinding<ResponseParams & { readonly aborted: number }>({
    harm: 'status',
    sentence: ({ aborted, ...response }) =>
      `after clients aborted ${aborted} streams, the target ${describeResponse(response)} to a chat like one that it had served before`,
    title: () => 'The target serves no further request after clients abort streams',
  }),
  /** In each of two streams, nearly all events arrived in groups, with pauses of about `pauseMs` between them. */
  'stream-in-bursts': defineFinding<{
    readonly events: number
    readonly bursts: number
    readonly pauseMs: number
    readonly totalMs: number
  }>({
    harm: 'hang',
    sentence: ({ events, bursts, pauseMs, totalMs }) =>
      `${events} events arrived in ${bursts} bursts, about ${pauseMs} ms apart, over ${totalMs} ms`,
    title: () => BUFFERED,
  }),
  /** Truncated streams that all ended after about `afterMs`. `events` contains the number of events of each stream. */
  'streams-timed-out': defineFinding<{
    readonly streams: number
    readonly afterMs: number
    readonly events: readonly number[]
    readonly complete: number
  }>({
    harm: 'data',
    sentence: ({ streams, afterMs, events, complete }) => {
      const each = streams === 1 ? '' : 'each '
      const which = `${formatCount(streams, 'stream')} stopped before the end, ${each}after ${formatSeconds(afterMs)}`
      return `${which}, with ${events.join(', ')} events; ${formatCount(complete, 'shorter stream')} ${complete === 1 ? 'was' : 'were'} complete`
    },
    title: ({ afterMs }) => `Streams are cut after ${(afterMs / 1000).toFixed(0)} s`,
  }),
  /** `events` contains the number of events of some truncated streams. `repeated` came from a cache. */
  'streams-without-end': defineFinding<{
    readonly streams: number
    readonly events: readonly number[]
    readonly complete: number
    readonly repeated?: number
  }>({
    harm: 'data',
    sentence: ({ streams, events, complete, repeated = 0 }) => {
      const again = repeated === 0 ? '' : `; ${repeated} of them came from a cache, which had kept an unfinished stream`
      return `${formatCount(streams, 'stream')} ended without [DONE] and without a finish_reason, after ${events.join(', ')} events; ${complete} ${complete === 1 ? 'was' : 'were'} complete${again}`
    },
    title: ({ repeated }) =>
      repeated === undefined
        ? 'Some streams stop before their end, without an error that clients can see'
        : 'A cache keeps unfinished streams, and sends them again as complete ones',
    remedy: ({ repeated }) =>
      repeated === undefined ? undefined : 'configure the cache to keep a stream only after its last event',
  }),
  'stream-held-back': defineFinding<{
    readonly events: number
    readonly spreadMs: number
    readonly totalMs: number
    readonly growthMs: number
  }>({
    harm: 'hang',
    sentence: ({ events, spreadMs, totalMs, growthMs }) =>
      `${describeArrival(events, spreadMs)} after ${formatSeconds(totalMs)}; the target took ${growthMs} ms of this time to generate the completion`,
    title: () => BUFFERED,
  }),
  /** All events arrived together, later than the response without `stream`, which took `plainMs`. */
  'stream-later-than-plain': defineFinding<{
    readonly events: number
    readonly spreadMs: number
    readonly totalMs: number
    readonly plainMs: number
  }>({
    harm: 'hang',
    sentence: ({ events, spreadMs, totalMs, plainMs }) =>
      `${describeArrival(events, spreadMs)} after ${formatSeconds(totalMs)}; without stream the same request was complete after ${formatSeconds(plainMs)}`,
    title: () => BUFFERED,
  }),
  /** Only the events of compressed streams arrived in groups. Both times are those of the first event. */
  'compressed-stream-buffered': defineFinding<{
    readonly encoding: string
    readonly events: number
    readonly groups: number
    readonly firstMs: number
    readonly plainFirstMs: number
  }>({
    harm: 'hang',
    sentence: ({ encoding, events, groups, firstMs, plainFirstMs }) => {
      const how = groups === 1 ? 'all at once' : `in ${groups} groups`
      return `${events} events compressed with ${encoding} arrived ${how}, the first after ${formatSeconds(firstMs)}; without compression they arrived one by one, the first after ${formatSeconds(plainFirstMs)}`
    },
    title: () => 'Compressed streams are buffered, but uncompressed ones are not',
  }),
  'words-lost': defineFinding<{ readonly words: number; readonly of: number; readonly lost: JsonExcerpt }>({
    harm: 'data',
    sentence: ({ words, of, lost }) =>
      `the stream lacks ${words} of the ${of} words of the completion of an identical request: ${formatExcerpt(lost)}`,
    title: () => 'Streams lack words of the completion',
  }),
} as const
