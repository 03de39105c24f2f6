import type { Exchange } from '../http/exchange.ts'
import { getMember, getItems } from './response-access.ts'

/** One event that should be a chunk, parsed as common clients do. */
export interface Chunk {
  /** Parsed data of the event. Undefined if it is not JSON. */
  readonly json: unknown
  readonly data: string
  readonly choices: unknown
  readonly usage: unknown
  /** The first choice's delta and finish_reason. */
  readonly role: unknown
  readonly content: unknown
  readonly finishReason: unknown
}

/** A stream, parsed as common clients do. */
export interface ReadStream {
  /** All events except `[DONE]`. */
  readonly chunks: readonly Chunk[]
  /** The chunks with a choice. A usage chunk has none. */
  readonly withChoice: readonly Chunk[]
  /** Index of `[DONE]`, or undefined if there was none. */
  readonly done?: { readonly last: boolean }
}

/** Parses the events of a response. Never throws. */
export function readStream({ events }: Exchange): ReadStream {
  const doneAt = events.findIndex(({ data }) => data === '[DONE]')
  const chunks = events.filter(({ data }) => data !== '[DONE]').map(({ data }) => readChunk(data))
  const withChoice = chunks.filter(({ choices }) => getItems(choices).length > 0)
  if (doneAt === -1) return { chunks, withChoice }
  return { chunks, withChoice, done: { last: doneAt === events.length - 1 } }
}

function readChunk(data: string): Chunk {
  const json = parse(data)
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

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}
