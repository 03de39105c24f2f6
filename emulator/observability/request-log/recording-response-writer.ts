import { createHash } from 'node:crypto'
import type { ResponseWriter } from '../../core/response-writer.ts'
import { MAX_KEPT_BYTES, type Moment, type Notes } from './request-record.ts'

/** What noting an answer needs beside the notes. */
export interface NotingContext {
  now(): Moment
  /** How many bytes of the response body are kept; 0: none. */
  readonly keptBytes: number
  /** The response body is hashed. */
  readonly isHashed: boolean
}

/** A sink that notes what goes through it: status, bytes, when the first of them left, and who ended it. */
export class NotingSink implements ResponseWriter {
  readonly #sink: ResponseWriter
  readonly #notes: Notes
  readonly #context: NotingContext
  #left: number

  constructor(sink: ResponseWriter, notes: Notes, context: NotingContext) {
    this.#sink = sink
    this.#notes = notes
    this.#context = context
    this.#left = context.keptBytes
    if (context.isHashed) notes.responseHash = createHash('sha256')
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    const notes = this.#notes
    notes.status = status
    notes.isStream = headers['content-type']?.startsWith('text/event-stream') === true
    if (status >= 400) noteRefusal(notes, headers)
    this.#sink.start(status, headers)
  }

  write(piece: Buffer | string): boolean {
    this.#notes.firstWriteAtMs ??= this.#context.now().atMs
    this.#noteBody(piece)
    return this.#sink.write(piece)
  }

  end(piece?: Buffer | string): void {
    const now = this.#context.now()
    if (piece !== undefined) {
      this.#notes.firstWriteAtMs ??= now.atMs
      this.#noteBody(piece)
    }
    this.#noteEnd(false, now)
    this.#sink.end(piece)
  }

  abort(): void {
    this.#noteEnd(true, this.#context.now())
    this.#sink.abort()
  }

  abortAfterFlush(how: 'close' | 'reset'): void {
    this.#noteEnd(true, this.#context.now())
    this.#sink.abortAfterFlush(how)
  }

  isClosed(): boolean {
    return this.#sink.isClosed()
  }

  onDrain(listener: () => void): void {
    this.#sink.onDrain(listener)
  }

  onClose(listener: () => void): void {
    this.#sink.onClose(listener)
  }

  #noteBody(piece: Buffer | string): void {
    const notes = this.#notes
    notes.bytesOut += Buffer.byteLength(piece)
    notes.responseHash?.update(piece)
    if (this.#left === 0) return
    const bytes = Buffer.from(piece).subarray(0, this.#left)
    this.#left -= bytes.length
    notes.responseHead.push(bytes)
  }

  /** A sink that is closed before its end was left by the client. */
  #noteEnd(isBrokenOff: boolean, now: Moment): void {
    const notes = this.#notes
    if (notes.ended !== undefined) return
    notes.hasClientLeft = this.#sink.isClosed()
    notes.isBrokenOff = isBrokenOff
    notes.ended = now
  }
}

/** What a client that comes back is held against: how long it was told to wait, and what it had asked. */
function noteRefusal(notes: Notes, headers: Readonly<Record<string, string>>): void {
  const retryAfter = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
  if (retryAfter !== undefined) notes.toldToWaitMs = waitOf(retryAfter, notes.arrivedAtUnixMs)
  if (notes.body !== undefined) return
  // Refused before its body was read. It is read now, beside the answer, which does not wait for it.
  notes.lateBody = Promise.resolve(notes.transported.readBody(MAX_KEPT_BYTES)).then(
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
