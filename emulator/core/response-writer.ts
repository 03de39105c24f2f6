import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import { buildRateLimitHeaders } from '../state/limits/account-limiters.ts'
import { isApiError } from './api-errors.ts'
import type { RequestContext } from './request-context.ts'

/**
 * Writes a response to a client. Sockets and in-process calls have separate implementations. Strings are byte strings
 * (`common/byte-string.ts`).
 */
export interface ResponseWriter {
  /**
   * Sends status and header fields. Must be called once, before the other methods.
   * @throws TypeError if a header value contains characters that HTTP does not allow
   */
  start(status: number, headers: Readonly<Record<string, string>>): void
  /**
   * Sends a part of the body.
   * @returns false if the send buffer is full; the caller must then wait for `onDrain`
   */
  write(chunk: Buffer | string): boolean
  /** Completes the response, optionally with a last part of the body. */
  end(chunk?: Buffer | string): void
  /** Closes the connection immediately, without completing the response. */
  abort(): void
  /** Closes the connection (`close`) or resets it with a TCP RST (`reset`) after all written data has been sent. */
  abortAfterFlush(how: 'close' | 'reset'): void
  /** Makes `end` close the connection, although the head announces keep-alive. Without a socket, there is none. */
  closeAfterEnd?(): void
  /**
   * Sends the first half of the status line and header fields, and then aborts like `abortAfterFlush`. Called instead of
   * `start`.
   * @throws TypeError if a header value contains characters that HTTP does not allow
   */
  abortInHead(status: number, headers: Readonly<Record<string, string>>, how: 'close' | 'reset'): void
  /**
   * Leaves the response open, and keeps the process running until the client disconnects. An open socket keeps a process
   * running without this method.
   */
  stall?(): void
  /** Returns true if the client has disconnected or the response has ended. */
  isClosed(): boolean
  onDrain(listener: () => void): void
  /** Adds a listener that is called once, when the client disconnects or the response ends. */
  onClose(listener: () => void): void
}

/**
 * Reports the response to the request's listener and forwards it to the transport's writer. Adds the rate limit header
 * fields of the account to the response head. Releases the request's slot when the response ends.
 */
export class ObservedResponseWriter implements ResponseWriter {
  isAborted = false
  readonly #writer: ResponseWriter
  readonly #request: RequestContext
  readonly #behaviour: BehaviourOptions

  constructor(writer: ResponseWriter, request: RequestContext, behaviour: BehaviourOptions) {
    this.#writer = writer
    this.#request = request
    this.#behaviour = behaviour
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.#request.notify((listener) => listener.onResponseStart(status, headers))
    this.#writer.start(status, this.#addRateLimits(headers))
  }

  write(chunk: Buffer | string): boolean {
    this.#request.notify((listener) => listener.onResponseData(chunk))
    return this.#writer.write(chunk)
  }

  end(chunk?: Buffer | string): void {
    if (chunk !== undefined) this.#request.notify((listener) => listener.onResponseData(chunk))
    this.#reportEnd(false)
    this.#writer.end(chunk)
    this.#request.slot?.release()
  }

  abort(): void {
    this.#reportEnd(true)
    this.#writer.abort()
    this.#request.slot?.release()
  }

  abortAfterFlush(how: 'close' | 'reset'): void {
    this.#reportEnd(true)
    this.#writer.abortAfterFlush(how)
    this.#request.slot?.release()
  }

  closeAfterEnd(): void {
    this.#writer.closeAfterEnd?.()
  }

  /** Reports no start of the response, because the client cannot read an incomplete head. */
  abortInHead(status: number, headers: Readonly<Record<string, string>>, how: 'close' | 'reset'): void {
    const hasClientDisconnected = this.#writer.isClosed()
    this.#writer.abortInHead(status, this.#addRateLimits(headers), how)
    this.#reportEnd(true, hasClientDisconnected)
    this.#request.slot?.release()
  }

  stall(): void {
    this.#writer.stall?.()
  }

  isClosed(): boolean {
    return this.#writer.isClosed()
  }

  onDrain(listener: () => void): void {
    this.#writer.onDrain(listener)
  }

  onClose(listener: () => void): void {
    this.#writer.onClose(listener)
  }

  #addRateLimits(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const { payer } = this.#request.authentication
    const limiters = isApiError(payer) ? undefined : payer.limiters
    const hasLimits = limiters !== undefined && this.#behaviour['rate-limit-headers'] !== 'none'
    return hasLimits ? { ...headers, ...buildRateLimitHeaders(limiters) } : headers
  }

  #reportEnd(isAborted: boolean, hasClientDisconnected = this.#writer.isClosed()): void {
    if (isAborted) this.isAborted = true
    this.#request.notify((listener) => listener.onResponseEnd({ isAborted, hasClientDisconnected }))
  }
}
