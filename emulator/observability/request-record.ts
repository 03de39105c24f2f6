import { createHash, type Hash } from 'node:crypto'
import type { ObservedRequest, RequestEnd, RequestListener, ResponseEnd } from '../core/events.ts'

/** A longer body is kept as its first and its last bytes, which is enough to tell one request from another. */
export const MAX_KEPT_BODY_BYTES = 64 * 1024

/** Time of an event. Turns order events while the clock is stopped. */
export interface Moment {
  /** On the clock's monotonic scale. */
  readonly atMs: number
  readonly turn: number
}

/** Where a request came from and when. */
export interface RequestOrigin {
  readonly arrived: Moment
  readonly arrivedAtUnixMs: number
  /** Turn in which its connection was opened, which also identifies that connection; undefined in process. */
  readonly connection: number | undefined
  readonly isFirstOnConnection: boolean
}

/** Functions of the recorder that a record uses. */
export interface RecordContext {
  now(): Moment
  /** Bytes of the response body to keep; 0: none. */
  readonly keptBytes: number
  /** True: the response body is hashed. */
  readonly isHashed: boolean
  /** Called once, when the request is over. */
  finish(record: RequestRecord, end: RequestEnd): void
}

/** Data collected from the events of one request. Read when the request is over. */
export class RequestRecord implements RequestListener {
  readonly request: ObservedRequest
  readonly origin: RequestOrigin
  /** The request body as far as it was read and is kept. */
  body: Buffer | undefined = undefined
  /** Bytes of the request body that were read. */
  bytesIn = 0
  /** Set when the body is read for the record alone, after an error response. */
  lateBody: Promise<void> | undefined = undefined
  /** Undefined while, and if, no response was started. */
  status: number | undefined = undefined
  /** Delay given to the client in Retry-After. */
  retryAfterMs: number | undefined = undefined
  isStream = false
  bytesOut = 0
  /** The first bytes of the response body, where bodies are kept. */
  readonly responseHead: Buffer[] = []
  /** Digest of the response body, if it is recorded. */
  readonly responseHash: Hash | undefined
  firstWriteAtMs: number | undefined = undefined
  ended: Moment | undefined = undefined
  /** The client left before its response was over. */
  hasClientLeft = false
  /** The emulator aborted the connection. */
  isAborted = false
  readonly #context: RecordContext
  #keptBytesLeft: number

  constructor(request: ObservedRequest, origin: RequestOrigin, context: RecordContext) {
    this.request = request
    this.origin = origin
    this.#context = context
    this.#keptBytesLeft = context.keptBytes
    this.responseHash = context.isHashed ? createHash('sha256') : undefined
  }

  onRequestBody(body: Buffer): void {
    this.bytesIn = body.length
    const half = MAX_KEPT_BODY_BYTES / 2
    this.body =
      body.length <= MAX_KEPT_BODY_BYTES
        ? body
        : Buffer.concat([body.subarray(0, half), body.subarray(body.length - half)])
  }

  onResponseStart(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status
    this.isStream = headers['content-type']?.startsWith('text/event-stream') === true
    if (status >= 400) this.#recordError(headers)
  }

  onResponseData(chunk: Buffer | string): void {
    this.firstWriteAtMs ??= this.#context.now().atMs
    this.bytesOut += Buffer.byteLength(chunk)
    this.responseHash?.update(chunk)
    if (this.#keptBytesLeft === 0) return
    const bytes = Buffer.from(chunk).subarray(0, this.#keptBytesLeft)
    this.#keptBytesLeft -= bytes.length
    this.responseHead.push(bytes)
  }

  onResponseEnd({ isAborted, hasClientLeft }: ResponseEnd): void {
    if (this.ended !== undefined) return
    this.hasClientLeft = hasClientLeft
    this.isAborted = isAborted
    this.ended = this.#context.now()
  }

  onRequestEnd(end: RequestEnd): void {
    if (this.ended === undefined) {
      this.hasClientLeft = end.hasClientLeft
      this.ended = this.#context.now()
    }
    // A client that leaves while its body is read has no response and no aborted connection.
    if (this.status === undefined && !this.isAborted) this.hasClientLeft = true
    this.#context.finish(this, end)
  }

  /** Stores the data for comparison with a retry: the delay sent to the client, and the body of its request. */
  #recordError(headers: Readonly<Record<string, string>>): void {
    const retryAfter = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
    if (retryAfter !== undefined) this.retryAfterMs = parseRetryAfter(retryAfter, this.origin.arrivedAtUnixMs)
    if (this.body !== undefined) return
    // An error before the body was read. It is read now, and the response does not wait for it.
    this.lateBody = Promise.resolve(this.request.readUnreportedBody(MAX_KEPT_BODY_BYTES)).then(
      (body) => {
        if (body !== undefined) this.onRequestBody(body)
      },
      () => undefined, // the client has left: there is nothing to compare
    )
  }
}

/** Retry-After is whole seconds or an HTTP date (RFC 9110, section 10.2.3). */
function parseRetryAfter(retryAfter: string, unixMs: number): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  const untilMs = Date.parse(retryAfter)
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - unixMs)
}
