import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ResponseWriter } from '../core/response-writer.ts'
import { destroyAfterFlush, writeHalf } from './lost-connection.ts'
import { getUnsentHead } from './node-internals.ts'

/** Maximum time for which a connection stays open so that its client can send the rest of a rejected request. */
const MAX_DISCARD_MS = 5_000

/** Writes the response to a request that Node's HTTP server has parsed. */
export class NodeResponseWriter implements ResponseWriter {
  readonly #response: ServerResponse
  readonly #beforeHead: (response: ServerResponse) => void

  /**
   * Creates the writer of one response.
   * @param beforeHead called before the head is sent; may add header fields
   */
  constructor(response: ServerResponse, beforeHead: (response: ServerResponse) => void = () => undefined) {
    this.#response = response
    this.#beforeHead = beforeHead
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.#beforeHead(this.#response)
    this.#response.writeHead(status, headers)
  }

  write(piece: Buffer | string): boolean {
    return this.#response.write(piece, 'latin1')
  }

  end(piece?: Buffer | string): void {
    const response = this.#response
    const request = response.req
    if (response.shouldKeepAlive || request.complete || request.destroyed) {
      response.end(piece, 'latin1')
      return
    }
    if (piece !== undefined) response.write(piece, 'latin1')
    // Node closes the connection when the response ends. If the client is still sending its body, the close would be a
    // reset, and the client would lose the response (RFC 9112, section 9.6).
    discardBody(request, () => void response.end())
  }

  closeAfterEnd(): void {
    const { socket } = this.#response.req
    this.#response.once('finish', () => void socket.destroySoon())
  }

  abort(): void {
    this.#response.destroy()
  }

  abortAfterFlush(how: 'close' | 'reset'): void {
    const { socket, headersSent } = this.#response
    if (socket === null) return // The client has disconnected.
    // Sends the header fields immediately. Node delays them until the first part of the body.
    if (headersSent) this.#response.flushHeaders()
    destroyAfterFlush(socket, how)
  }

  abortInHead(status: number, headers: Readonly<Record<string, string>>, how: 'close' | 'reset'): void {
    const { socket } = this.#response
    this.start(status, headers)
    if (socket === null) return // The client has disconnected.
    writeHalf(socket, getUnsentHead(this.#response))
    destroyAfterFlush(socket, how)
  }

  isClosed(): boolean {
    return this.#response.destroyed
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener)
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener)
  }
}

/** Reads and discards the rest of a request body, for at most MAX_DISCARD_MS. */
function discardBody(request: IncomingMessage, onDone: () => void): void {
  const timer = setTimeout(onDone, MAX_DISCARD_MS)
  request.once('close', () => {
    clearTimeout(timer)
    onDone()
  })
  request.resume()
}
