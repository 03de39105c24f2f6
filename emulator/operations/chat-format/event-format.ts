import type { BehaviourOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'
import type { ChunkData } from './chunk-data.ts'

const LINE_ENDS = { lf: '\n', crlf: '\r\n', cr: '\r' } as const

/** Value of the field `retry`, in milliseconds. It is the default of most clients. */
const RETRY_MS = 3000

/** Formats the data of an event of a stream. `index` is the position of the event. */
export type EventFormatter = (data: string, index: number, eventName?: string) => string

/** Creates a function that formats data as a server-sent event (WHATWG HTML, section 9.2.6). */
export function createEventFormatter(behaviour: BehaviourOptions): EventFormatter {
  const end = LINE_ENDS[behaviour['line-ends']]
  const eventEnd = end + end
  const comments = behaviour['keep-alive-comments']
  const fields = behaviour['event-fields']
  const hasId = fields === 'id' || fields === 'id-and-retry'
  const hasRetry = fields === 'retry' || fields === 'id-and-retry'
  const colon = behaviour['field-space'] === 'none' ? ':' : ': '
  const data = `data${colon}`
  const hasLines = behaviour['chunk-shape'] === 'text' // JSON contains no line breaks.
  const isPlain = comments === 'none' && fields === 'none' && !hasLines
  return (text, index, eventName) => {
    if (isPlain && eventName === undefined) return data + text + eventEnd // Faster than seven strings.
    const comment = comments === 'each' || (comments === 'first' && index === 0) ? `: keep-alive${eventEnd}` : ''
    const id = hasId ? `id${colon}${index}${end}` : ''
    const retry = hasRetry && index === 0 ? `retry${colon}${RETRY_MS}${end}` : ''
    const name = eventName === undefined ? '' : `event${colon}${eventName}${end}`
    const lines = hasLines ? text.replaceAll(/\r\n|\r|\n/g, end + data) : text
    return `${comment}${id}${retry}${name}${data}${lines}${eventEnd}`
  }
}

/**
 * Creates the heartbeat of a stream: bytes without content, which the emulator sends during a pause.
 * @param data creates a chunk with these choices
 */
export function createHeartbeat(behaviour: BehaviourOptions, data?: Pick<ChunkData, 'chunk'>): string | undefined {
  const kind = behaviour.heartbeat
  const eventEnd = LINE_ENDS[behaviour['line-ends']].repeat(2)
  if (kind === 'none') return undefined
  if (kind === 'comment' || data?.chunk === undefined) return `: heartbeat${eventEnd}`
  const choices = kind === 'no-choices' ? '[]' : '[{"index":0,"delta":{},"finish_reason":null}]'
  return `data${behaviour['field-space'] === 'none' ? ':' : ': '}${data.chunk(choices)}${eventEnd}`
}
