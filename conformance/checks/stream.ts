import type { Exchange } from '../http/exchange.ts'
import { at, items } from './read.ts'

/** One event that should be a chunk, read the way that common clients read it. */
export interface Chunk {
  /** Undefined when the data is no JSON. */
  readonly json: unknown
  readonly data: string
  readonly choices: unknown
  readonly usage: unknown
  /** The first choice's delta and finish_reason. */
  readonly role: unknown
  readonly content: unknown
  readonly finishReason: unknown
}

/** A stream as common clients read it. */
export interface ReadStream {
  /** All events but `[DONE]`. */
  readonly chunks: readonly Chunk[]
  /** The chunks with a choice: a usage chunk has none. */
  readonly withChoice: readonly Chunk[]
  /** Where `[DONE]` stood; undefined when there was none. */
  readonly done?: { readonly last: boolean }
}

/** Reads the events of a response; never fails, whatever they contain. */
export function readStream({ events }: Exchange): ReadStream {
  const doneAt = events.findIndex(({ data }) => data === '[DONE]')
  const chunks = events.filter(({ data }) => data !== '[DONE]').map(({ data }) => readChunk(data))
  const withChoice = chunks.filter(({ choices }) => items(choices).length > 0)
  if (doneAt === -1) return { chunks, withChoice }
  return { chunks, withChoice, done: { last: doneAt === events.length - 1 } }
}

function readChunk(data: string): Chunk {
  const json = parse(data)
  return {
    json,
    data,
    choices: at(json, 'choices'),
    usage: at(json, 'usage'),
    role: at(json, 'choices', 0, 'delta', 'role'),
    content: at(json, 'choices', 0, 'delta', 'content'),
    finishReason: at(json, 'choices', 0, 'finish_reason'),
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}
