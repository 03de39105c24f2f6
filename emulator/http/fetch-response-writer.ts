import type { UnderlyingSource } from 'node:stream/web'
import type { ResponseWriter } from '../core/response-writer.ts'

/**
 * Maximum number of response bytes that wait for the client to read them. Corresponds to the send buffer of a socket.
 */
const MAX_BUFFERED_BYTES = 16 * 1024

/** Interval of the timer that keeps the process running. The timer has no other effect. */
const KEEP_ALIVE_MS = 60_000

/** Statuses whose responses have no body (Fetch, section 2.2.3). */
const NULL_BODY_STATUSES = new Set([204, 205, 304])

/** Creates the error with which `fetch` rejects if there is no response. It has the structure of Node's error. */
export function createFetchError(why: unknown): TypeError {
  return new TypeError('fetch failed', { cause: why })
}

/**
 * Writes the response to an in-process call as a Fetch `Response`. The client can read the body while the emulator
 * writes it.
 */
export class FetchResponseWriter implements ResponseWriter {
  /**
   * Resolves when the response starts. Rejects with the reason of the request's signal, or with an error of {@link
   * createFetchError}.
   */
  readonly response: Promise<Response>
  readonly #request: Request
  readonly #resolve: (response: Response) => void
  readonly #reject: (reason: unknown) => void
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  #isClosed = false
  #isWaiting = false
  #isAborting = false
  #isReset = false
  readonly #onDrain: (() => void)[] = []
  readonly #onClose: (() => void)[] = []

  constructor(request: Request) {
    this.#request = request
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    this.response = promise
    this.#resolve = resolve
    this.#reject = reject
    request.signal.addEventListener('abort', () => this.fail(request.signal.reason))
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    const hasBody = this.#request.method !== 'HEAD' && !NULL_BODY_STATUSES.has(status)
    const response = new Response(hasBody ? this.#createBody() : null, { status, headers })
    // `new Response` leaves the URL empty, but clients report the URL of the response.
    Object.defineProperty(response, 'url', { value: this.#request.url })
    this.#resolve(response)
  }

  write(piece: Buffer | string): boolean {
    if (this.#isClosed || this.#body === undefined) return true
    // The reader owns the array, so it must be a copy.
    const bytes = new Uint8Array(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
    if (bytes.length > 0) this.#body.enqueue(bytes)
    this.#isWaiting = (this.#body.desiredSize ?? 0) <= 0
    return !this.#isWaiting
  }

  end(piece?: Buffer | string): void {
    if (this.#isClosed) return
    if (piece !== undefined) this.write(piece)
    this.#body?.close()
    this.#close()
  }

  abort(): void {
    if (this.#isClosed) return
    const code = this.#isReset ? 'ECONNRESET' : 'UND_ERR_SOCKET' // Error codes that undici reports for a reset and for a closed connection.
    const abortError = Object.assign(new Error('the emulator aborted the connection'), { code })
    this.fail(
      this.#body === undefined ? createFetchError(abortError) : new TypeError('terminated', { cause: abortError }),
    )
  }

  abortAfterFlush(how: 'close' | 'reset'): void {
    this.#isReset = how === 'reset'
    this.#isAborting = true
    this.#abortWhenRead()
  }

  /** Rejects the call, because `fetch` returns no response with an incomplete head. */
  abortInHead(_status: number, _headers: Readonly<Record<string, string>>, how: 'close' | 'reset'): void {
    this.abortAfterFlush(how)
  }

  /**
   * Keeps the process running with a timer. The timer of `AbortSignal.timeout`, for example, does not: Node would exit
   * before the timeout of the client.
   */
  stall(): void {
    const timer = setInterval(() => undefined, KEEP_ALIVE_MS)
    this.onClose(() => clearInterval(timer))
  }

  /**
   * Fails the body after the client has read all data, because an error on a stream discards unread data. The error
   * follows in a later turn of the event loop, as with a socket. A stream to which the client pipes the body can then
   * deliver the last data.
   */
  #abortWhenRead(): void {
    if (this.#body === undefined) this.abort()
    else if (this.#body.desiredSize === MAX_BUFFERED_BYTES) setImmediate(() => this.abort())
  }

  /** Rejects the call with `reason`, or fails the response body if the response has started. Discards unread data. */
  fail(reason: unknown): void {
    if (this.#body === undefined) this.#reject(reason)
    else this.#body.error(reason)
    this.#close()
  }

  isClosed(): boolean {
    return this.#isClosed
  }

  onDrain(listener: () => void): void {
    this.#onDrain.push(listener)
  }

  onClose(listener: () => void): void {
    this.#onClose.push(listener)
  }

  #createBody(): ReadableStream<Uint8Array> {
    const source: UnderlyingSource<Uint8Array> = {
      start: (controller) => {
        this.#body = controller
      },
      pull: () => (this.#isAborting ? this.#abortWhenRead() : this.#drain()),
      cancel: () => this.#close(),
    }
    return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: MAX_BUFFERED_BYTES }))
  }

  #drain(): void {
    if (!this.#isWaiting) return
    this.#isWaiting = false
    for (const listener of this.#onDrain) listener()
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const listener of this.#onClose) listener()
  }
}
