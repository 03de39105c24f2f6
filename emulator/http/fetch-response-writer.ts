import type { UnderlyingSource } from 'node:stream/web'
import type { ResponseWriter } from '../core/response-writer.ts'

/** Bytes that an answer may be ahead of its reader, as in a socket's buffer. */
const AHEAD_BYTES = 16 * 1024

/** Statuses whose answers have no body (Fetch, section 2.2.3). */
const WITHOUT_BODY = new Set([204, 205, 304])

/** What a `fetch` that got no answer rejects with, as Node's own does. */
export function fetchError(why: unknown): TypeError {
  return new TypeError('fetch failed', { cause: why })
}

/** Where the answer to a call in the same process goes: a `Response`, whose body is read as it is written. */
export class FetchResponseWriter implements ResponseWriter {
  /** Settles when the answer begins. Rejects with the reason of the request's signal, or as {@link fetchError} does. */
  readonly response: Promise<Response>
  readonly #request: Request
  readonly #resolve: (response: Response) => void
  readonly #reject: (reason: unknown) => void
  readonly #encoder = new TextEncoder()
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  #isClosed = false
  #isWaiting = false
  #isBreaking = false
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
    const hasBody = this.#request.method !== 'HEAD' && !WITHOUT_BODY.has(status)
    const response = new Response(hasBody ? this.#openBody() : null, { status, headers })
    // A response that was made by hand has no address; clients report the one that they called.
    Object.defineProperty(response, 'url', { value: this.#request.url })
    this.#resolve(response)
  }

  write(piece: Buffer | string): boolean {
    if (this.#isClosed || this.#body === undefined) return true
    // A copy, because it is the reader's from now on.
    const bytes = typeof piece === 'string' ? this.#encoder.encode(piece) : new Uint8Array(piece)
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
    const code = this.#isReset ? 'ECONNRESET' : 'UND_ERR_SOCKET' // as through a socket
    const cut = Object.assign(new Error('the emulator broke the connection off'), { code })
    this.fail(this.#body === undefined ? fetchError(cut) : new TypeError('terminated', { cause: cut }))
  }

  abortAfterFlush(how: 'close' | 'reset'): void {
    this.#isReset = how === 'reset'
    this.#isBreaking = true
    this.#breakWhenRead()
  }

  /** An error takes what was not read with it: it waits until all is. */
  #breakWhenRead(): void {
    if (this.#body === undefined || this.#body.desiredSize === AHEAD_BYTES) this.abort()
  }

  /** Ends the call with `reason`, before its answer or in the middle of it. What was not read by then is lost. */
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

  #openBody(): ReadableStream<Uint8Array> {
    const source: UnderlyingSource<Uint8Array> = {
      start: (controller) => {
        this.#body = controller
      },
      pull: () => (this.#isBreaking ? this.#breakWhenRead() : this.#drain()),
      cancel: () => this.#close(),
    }
    return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: AHEAD_BYTES }))
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
