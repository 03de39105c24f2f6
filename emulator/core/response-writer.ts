import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import { buildRateLimitHeaders } from '../state/limits/account-limiters.ts'
import { isApiError } from './api-errors.ts'
import { logException } from './events.ts'
import type { RequestContext } from './request-context.ts'

/** Sends a response to the client. Each transport implements it: sockets and in-process calls. */
export interface ResponseWriter {
  /**
   * Sends status and header fields. Called once, before any other method.
   * @throws TypeError if a header value contains characters that HTTP does not allow
   */
  start(status: number, headers: Readonly<Record<string, string>>): void
  /**
   * Sends a part of the body.
   * @returns false if the client reads too slowly: wait for `onDrain`
   */
  write(chunk: Buffer | string): boolean
  /** Completes the response, optionally with a last part of the body. */
  end(chunk?: Buffer | string): void
  /** Closes the connection at once, without completing the response. */
  abort(): void
  /** Closes the connection once everything written so far has been sent. */
  abortAfterFlush(how: 'close' | 'reset'): void
  /** True once the client has disconnected or the response is over. */
  isClosed(): boolean
  onDrain(listener: () => void): void
  /** Called once, when the client disconnects or the response is over. */
  onClose(listener: () => void): void
}

/**
 * Response writer that forwards every call to the writer of the transport and reports it to the request's listener.
 * When a response starts, it also adds the current rate limit header fields of the account.
 */
export class ObservedWriter implements ResponseWriter {
  /** The emulator aborted the connection. */
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
    const { id, listener, authentication } = this.#request
    try {
      listener.onResponseStart(status, headers)
    } catch (error) {
      logException(id, error)
    }
    const { payer } = authentication
    const limiters = isApiError(payer) ? undefined : payer.limiters
    const hasLimits = limiters !== undefined && this.#behaviour['rate-limit-headers'] !== 'none'
    this.#writer.start(status, hasLimits ? { ...headers, ...buildRateLimitHeaders(limiters) } : headers)
  }

  write(chunk: Buffer | string): boolean {
    this.#reportData(chunk)
    return this.#writer.write(chunk)
  }

  end(chunk?: Buffer | string): void {
    if (chunk !== undefined) this.#reportData(chunk)
    this.#reportEnd(false)
    this.#writer.end(chunk)
  }

  abort(): void {
    this.#reportEnd(true)
    this.#writer.abort()
  }

  abortAfterFlush(how: 'close' | 'reset'): void {
    this.#reportEnd(true)
    this.#writer.abortAfterFlush(how)
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

  #reportData(chunk: Buffer | string): void {
    const { id, listener } = this.#request
    try {
      listener.onResponseData(chunk)
    } catch (error) {
      logException(id, error)
    }
  }

  #reportEnd(isAborted: boolean): void {
    if (isAborted) this.isAborted = true
    const { id, listener } = this.#request
    try {
      listener.onResponseEnd({ isAborted, hasClientLeft: this.#writer.isClosed() })
    } catch (error) {
      logException(id, error)
    }
  }
}
