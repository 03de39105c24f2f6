import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ResponseWriter } from '../core/response-writer.ts'

/** Writes the response to a request that Node's HTTP server parsed. */
export class NodeResponseWriter implements ResponseWriter {
  readonly #response: ServerResponse
  readonly #onDrain: (() => void)[] = []
  readonly #beforeHead: (response: ServerResponse) => void
  #hasBegun = false

  /** @param beforeHead may add header fields of the connection */
  constructor(response: ServerResponse, beforeHead: (response: ServerResponse) => void = () => undefined) {
    this.#response = response
    this.#beforeHead = beforeHead
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.#beforeHead(this.#response)
    this.#response.writeHead(status, headers)
  }

  write(piece: Buffer | string): boolean {
    const response = this.#response
    const { socket } = response
    // Node's own write handles the first part, binary parts, a response that waits behind another, and empty parts. An
    // empty chunk would end the body.
    if (!this.#hasBegun || typeof piece !== 'string' || piece === '' || !response.chunkedEncoding || socket === null) {
      this.#hasBegun = true
      return response.write(piece)
    }
    const takesMore = writeChunk(socket, piece)
    if (!takesMore) socket.once('drain', () => this.#onDrain.forEach((listener) => listener()))
    return takesMore
  }

  end(piece?: Buffer | string): void {
    this.#response.end(piece)
  }

  abort(): void {
    // Destroying a response that waits behind another only detaches it; Node leaves the connection open.
    if (this.#response.socket === null) this.#response.once('socket', (socket) => void socket.destroy())
    this.#response.destroy()
  }

  abortAfterFlush(how: 'close' | 'reset'): void {
    breakOffSocket(this.#response, how)
  }

  isClosed(): boolean {
    return this.#response.destroyed
  }

  onDrain(listener: () => void): void {
    this.#onDrain.push(listener)
    this.#response.on('drain', listener)
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener)
  }
}

/**
 * Writes a chunk of a body (RFC 9112, section 7.1) in one call. Node makes four writes of it and joins them at the end
 * of the turn, which takes 50 % longer for each event of a stream.
 */
function writeChunk(socket: Socket, piece: string): boolean {
  const bytes = Buffer.byteLength(piece)
  return socket.write(`${bytes.toString(16)}\r\n${piece}\r\n`, bytes === piece.length ? 'latin1' : 'utf8')
}

function breakOffSocket(response: ServerResponse, how: 'close' | 'reset'): void {
  const { socket } = response
  if (socket === null) {
    response.once('socket', () => breakOffSocket(response, how)) // Once all earlier responses are complete.
    return
  }
  if (response.headersSent) response.flushHeaders() // Node delays the header fields until the first part of the body.
  // Runs after all earlier writes: destroying the response now would lose them.
  socket.write('', () => void (how === 'reset' ? socket.resetAndDestroy() : socket.destroy()))
}
