import { createHash } from 'node:crypto'
import type { Sink } from '../transport/sink.ts'
import { MOST_KEPT_BYTES, type Moment, type Notes } from './notes.ts'

/** What noting an answer needs beside the notes. */
export interface NotingContext {
  now(): Moment
  /** How many bytes of the response body are kept; 0: none. */
  readonly keptBytes: number
  /** The response body is hashed. */
  readonly isHashed: boolean
}

/** A sink that notes what goes through it: status, bytes, when the first of them left, and who ended it. */
export function noteSink(sink: Sink, notes: Notes, { now, keptBytes, isHashed }: NotingContext): Sink {
  let left = keptBytes
  if (isHashed) notes.responseHash = createHash('sha256')
  const noteBody = (piece: Buffer | string) => {
    notes.firstWriteAtMs ??= now().atMs
    notes.bytesOut += Buffer.byteLength(piece)
    notes.responseHash?.update(piece)
    if (left === 0) return
    const bytes = Buffer.from(piece).subarray(0, left)
    left -= bytes.length
    notes.responseHead.push(bytes)
  }
  sink.onClose(() => {
    notes.hasClientLeft = notes.ended === undefined
  })
  return {
    start(status, headers) {
      notes.status = status
      notes.isStream = headers['content-type']?.startsWith('text/event-stream') === true
      if (status >= 400) noteRefusal(notes, headers)
      sink.start(status, headers)
    },
    write(piece) {
      noteBody(piece)
      return sink.write(piece)
    },
    end(piece) {
      if (piece !== undefined) noteBody(piece)
      notes.ended ??= now()
      sink.end(piece)
    },
    abort() {
      notes.isBrokenOff = notes.ended === undefined
      notes.ended ??= now()
      sink.abort()
    },
    breakOff(how) {
      notes.isBrokenOff = notes.ended === undefined
      notes.ended ??= now()
      sink.breakOff(how)
    },
    isClosed: () => sink.isClosed(),
    onDrain: (listener) => sink.onDrain(listener),
    onClose: (listener) => sink.onClose(listener),
  }
}

/** What a client that comes back is held against: how long it was told to wait, and what it had asked. */
function noteRefusal(notes: Notes, headers: Readonly<Record<string, string>>): void {
  const retryAfter = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
  if (retryAfter !== undefined) notes.toldToWaitMs = waitOf(retryAfter, notes.arrivedAtUnixMs)
  if (notes.body !== undefined) return
  // Refused before its body was read. It is read now, beside the answer, which does not wait for it.
  notes.lateBody = notes.transported.readBody(MOST_KEPT_BYTES).then(
    (body) => notes.keepBody(body),
    () => undefined, // the client is gone: there is nothing to compare
  )
}

/** Retry-After is whole seconds or an HTTP date (RFC 9110, section 10.2.3). */
function waitOf(retryAfter: string, unixMs: number): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  const untilMs = Date.parse(retryAfter)
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - unixMs)
}
