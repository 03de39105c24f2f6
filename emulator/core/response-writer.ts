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
