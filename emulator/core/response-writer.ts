/** Takes a response and sends it to the client. Transports implement it: sockets and calls in the same process. */
export interface ResponseWriter {
  /** Sends status and header fields. Called first, and once. @throws TypeError for a header value that cannot be sent */
  start(status: number, headers: Readonly<Record<string, string>>): void
  /** Sends a part of the body. @returns false when the client does not keep up: wait for `onDrain` */
  write(chunk: Buffer | string): boolean
  /** Completes the response, after a last part of the body if there is one. */
  end(chunk?: Buffer | string): void
  /** Closes the connection at once, without completing the response. */
  abort(): void
  /** Closes the connection when everything written so far is sent. */
  abortAfterFlush(how: 'close' | 'reset'): void
  /** True once the client has left or the response is over. */
  isClosed(): boolean
  onDrain(listener: () => void): void
  /** Called once, when the client leaves or the response is over. */
  onClose(listener: () => void): void
}
