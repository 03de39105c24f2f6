import { createHash, type Hash } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import type { UploadedFile } from '../operations/uploaded-file.ts'
import type { ObservedRequest, RequestEndEvent, RequestListener, ResponseEndEvent } from '../core/events.ts'
import { findCompletionId } from './completion-id.ts'
import { TextDigest } from './text-digest.ts'

/**
 * Maximum number of body bytes kept per request. Of a longer body, the record keeps the beginning and the end, each
 * with half of this number. This is enough to distinguish requests.
 */
export const MAX_KEPT_BODY_BYTES = 64 * 1024

/**
 * Time and sequence number of an event. Sequence numbers order events that occur at the same time of a virtual clock.
 */
export interface EventTime {
  /** Time on the monotonic clock, in milliseconds. */
  readonly atMs: number
  readonly sequence: number
}

export interface RequestArrival {
  readonly arrived: EventTime
  readonly arrivedAtUnixMs: number
  /**
   * Number that identifies the connection: its position in the order of opening. Undefined for an in-process request.
   */
  readonly connection: number | undefined
  readonly isFirstOnConnection: boolean
}

export interface RequestRecordContext {
  now(): EventTime
  /**
   * Returns the limits for a request that arrives now: the number of bytes to log of each body, and 1 if the record must
   * compute the SHA-256 of the response body.
   */
  getLimits(): { readonly bodies: number; readonly digests: number }
  /** Called once per request, when the request has ended. */
  finish(record: RequestRecord, end: RequestEndEvent): void
}

/** File of a multipart form, as the request log shows it. */
export interface UploadRecord {
  /** Name of the form field. */
  readonly field: string
  readonly filename?: string
  /** Media type without parameters. */
  readonly mediaType: string
  readonly bytes: number
  /** SHA-256 of the file, in hex. */
  readonly sha256: string
}

/** Collects data from the events of one request. The record is complete when the request has ended. */
export class RequestRecord implements RequestListener {
  readonly request: ObservedRequest
  readonly arrival: RequestArrival
  /** Kept bytes of the request body, or undefined if the body has not been read. */
  body: Buffer | undefined = undefined
  /** Maximum number of bytes to log of each body. 0 logs no bodies, headers and uploads. */
  readonly loggedBytes: number
  /** Beginning of the request body, up to `loggedBytes`, without an incomplete character at its end. */
  requestText = ''
  /** Last file of a multipart form. Undefined unless the log option `bodies` is set. */
  upload: UploadRecord | undefined = undefined
  /** Number of request body bytes read. */
  bytesIn = 0
  /**
   * Pending read of a request body that only this record needs, because the emulator has already sent an error
   * response.
   */
  lateBody: Promise<void> | undefined = undefined
  /** HTTP status of the response. Undefined if no response has started. */
  status: number | undefined = undefined
  /** Value of Retry-After in the response, in milliseconds. */
  retryAfterMs: number | undefined = undefined
  isStream = false
  bytesOut = 0
  /** Number of stream events written. Null for a stream of an upstream, because the emulator does not read its events. */
  eventsOut: number | null = 0
  /** ID of the chat completion in the response body. Undefined if the response has none. */
  completionId: string | undefined = undefined
  /** First bytes of the response body. Empty unless the log option `bodies` is set. */
  readonly responseHead: Buffer[] = []
  /** Digest of the response body. Undefined unless the log option `digests` is set. */
  readonly responseHash: Hash | undefined
  /**
   * Digest of the text in the response. Undefined unless the request is a chat with the header `x-client-request-id`,
   * because most clients need no digest.
   */
  readonly textDigest: TextDigest | undefined
  firstWriteAtMs: number | undefined = undefined
  ended: EventTime | undefined = undefined
  hasClientDisconnected = false
  isAborted = false
  readonly #context: RequestRecordContext
  #keptBytesLeft: number

  constructor(request: ObservedRequest, arrival: RequestArrival, context: RequestRecordContext) {
    this.request = request
    this.arrival = arrival
    this.#context = context
    const { bodies, digests } = context.getLimits()
    this.loggedBytes = bodies
    this.#keptBytesLeft = bodies
    this.responseHash = digests === 1 ? createHash('sha256') : undefined
    const hasId = request.operation === 'chat' && request.headers['x-client-request-id'] !== undefined
    this.textDigest = hasId ? new TextDigest() : undefined
  }

  onRequestBody(body: Buffer): void {
    this.bytesIn = body.length
    const half = MAX_KEPT_BODY_BYTES / 2
    this.body =
      body.length <= MAX_KEPT_BODY_BYTES
        ? body
        : Buffer.concat([body.subarray(0, half), body.subarray(body.length - half)])
    if (this.loggedBytes > 0) this.requestText = new StringDecoder().write(body.subarray(0, this.loggedBytes))
  }

  onUpload(field: string, { filename, mediaType, bytes }: UploadedFile): void {
    if (this.loggedBytes === 0) return
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    this.upload = { field, ...(filename === undefined ? {} : { filename }), mediaType, bytes: bytes.length, sha256 }
  }

  onResponseStart(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status
    this.isStream = headers['content-type']?.startsWith('text/event-stream') === true
    if (status >= 400) this.#recordError(headers)
  }

  onResponseData(chunk: Buffer | string): void {
    if (this.firstWriteAtMs === undefined) {
      this.firstWriteAtMs = this.#context.now().atMs
      if (this.request.operation === 'chat') this.completionId = findCompletionId(chunk)
    }
    this.bytesOut += chunk.length
    this.responseHash?.update(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk)
    this.textDigest?.add(chunk)
    if (this.#keptBytesLeft === 0) return
    const bytes = (typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk).subarray(0, this.#keptBytesLeft)
    this.#keptBytesLeft -= bytes.length
    this.responseHead.push(bytes)
  }

  onResponseEnd({ isAborted, hasClientDisconnected }: ResponseEndEvent): void {
    if (this.ended !== undefined) return
    this.hasClientDisconnected = hasClientDisconnected
    this.isAborted = isAborted
    this.ended = this.#context.now()
  }

  onRequestEnd(end: RequestEndEvent): void {
    if (this.isStream) this.eventsOut = end.timing?.writtenMs.length ?? null
    if (this.ended === undefined) {
      this.hasClientDisconnected = end.hasClientDisconnected
      this.ended = this.#context.now()
    }
    // A client that disconnects while the emulator reads its body gets no response, and the emulator does not abort the
    // connection.
    if (this.status === undefined && !this.isAborted) this.hasClientDisconnected = true
    this.#context.finish(this, end)
  }

  /** Stores the value of Retry-After and the request body of a failed request, for comparison with a later retry. */
  #recordError(headers: Readonly<Record<string, string>>): void {
    const retryAfter = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
    if (retryAfter !== undefined) this.retryAfterMs = parseRetryAfter(retryAfter, this.arrival.arrivedAtUnixMs)
    if (this.body !== undefined) return
    // The emulator has responded without reading the body. The record reads it now, without delaying the response.
    this.lateBody = Promise.resolve(this.request.readUnreportedBody(MAX_KEPT_BODY_BYTES)).then(
      (body) => {
        if (body !== undefined) this.onRequestBody(body)
      },
      () => undefined, // The client has disconnected, so the body remains unknown.
    )
  }
}

/**
 * Parses the value of Retry-After, a number of seconds or an HTTP date (RFC 9110, section 10.2.3). Returns
 * milliseconds.
 */
function parseRetryAfter(retryAfter: string, unixMs: number): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  const untilMs = Date.parse(retryAfter)
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - unixMs)
}
