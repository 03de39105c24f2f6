import { parseJson } from '../../http/decode-body.ts'
import type { Exchange, StreamEvent } from '../../http/exchange.ts'
import { getMember, getItems, isNonEmptyString } from './response-access.ts'

/** A chunk of a stream, parsed as common clients parse it. */
export interface StreamChunk {
  /** Parsed data of the event, or undefined if it is not JSON. */
  readonly json: unknown
  readonly data: string
  readonly choices: unknown
  readonly usage: unknown
  readonly role: unknown
  readonly content: unknown
  readonly finishReason: unknown
}

export interface ParsedStream {
  /** Events before the first `[DONE]`. Clients ignore later ones. */
  readonly chunks: readonly StreamChunk[]
  /** Chunks that contain a choice. The chunk with usage contains none. */
  readonly withChoice: readonly StreamChunk[]
  /** Whether `[DONE]` is the last event. Undefined if the stream has no `[DONE]`. */
  readonly done?: { readonly last: boolean }
}

export function parseStream({ events }: Exchange): ParsedStream {
  return parseStreamEvents(events)
}

/** Parses the events of a stream, which may be incomplete. Never throws. */
export function parseStreamEvents(events: readonly StreamEvent[]): ParsedStream {
  const doneAt = events.findIndex(({ data }) => data === '[DONE]')
  const chunks = events.slice(0, doneAt === -1 ? undefined : doneAt).map(({ data }) => parseChunk(data))
  const withChoice = chunks.filter(({ choices }) => getItems(choices).length > 0)
  if (doneAt === -1) return { chunks, withChoice }
  return { chunks, withChoice, done: { last: doneAt === events.length - 1 } }
}

export interface TextEvent {
  readonly event: StreamEvent
  readonly length: number
}

/** Lists the events whose delta contains text, or all events with the length of their data if none does. */
export function listTextEvents({ events }: Exchange): readonly TextEvent[] {
  const all = events.map((event) => ({ event, length: measureDelta(parseJson(event.data)) }))
  const withText = all.filter(({ length }) => length > 0)
  return withText.length > 0 ? withText : events.map((event) => ({ event, length: event.data.length }))
}

function measureDelta(json: unknown): number {
  const delta = getMember(json, 'choices', 0, 'delta')
  if (typeof delta !== 'object' || delta === null) return 0
  const texts = Object.entries(delta).filter(([name, value]) => name !== 'role' && typeof value === 'string')
  return texts.reduce((sum, [, text]) => sum + String(text).length, 0)
}

/** Returns whether a stream of chunks with choices has neither a `finish_reason` nor `[DONE]`. */
export function isTruncatedStream(response: Exchange): boolean {
  const { done, withChoice } = parseStream(response)
  return (
    done === undefined &&
    withChoice.length > 0 &&
    !withChoice.some(({ finishReason }) => isNonEmptyString(finishReason))
  )
}

/** Minimum number of deltas that show whether a stream repeats its text. Fewer may be alike by chance. */
const MIN_REPEATS = 5

/** Removes repeats from deltas: of the previous text, of each delta, or of the whole text so far. */
export function removeRepeats(deltas: readonly string[]): readonly string[] {
  const all = deltas.filter(isNonEmptyString)
  const [first] = all
  if (first === undefined || all.length <= MIN_REPEATS) return deltas
  const isCumulative = all.every((delta, index) => delta.startsWith(all[index - 1] ?? ''))
  if (isCumulative && all.at(-1) !== first) return all.slice(-1)
  const half = all.filter((_, index) => index % 2 === 0)
  const isDoubled = new Set(half).size >= MIN_REPEATS && all.every((delta, index) => delta === half[index >> 1])
  if (isDoubled && all.length === 2 * half.length) return half
  let text = ''
  return all.map((delta, index) => {
    const added = index >= MIN_REPEATS && delta.startsWith(text) ? delta.slice(text.length) : delta
    text += added
    return added
  })
}

function parseChunk(data: string): StreamChunk {
  const json = parseJson(data)
  return {
    json,
    data,
    choices: getMember(json, 'choices'),
    usage: getMember(json, 'usage'),
    role: getMember(json, 'choices', 0, 'delta', 'role'),
    content: getMember(json, 'choices', 0, 'delta', 'content'),
    finishReason: getMember(json, 'choices', 0, 'finish_reason'),
  }
}
