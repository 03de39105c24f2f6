import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Where an answer goes: a socket, or a caller in the same process. */
export interface Sink {
  /** Sends status and header fields. Once, and first. */
  start(status: number, headers: Readonly<Record<string, string>>): void
  /** Sends a part of the body. @returns false when the client does not keep up: wait for `onDrain` */
  write(piece: Buffer | string): boolean
  /** Ends the answer, after a last part of the body if there is one. */
  end(piece?: Buffer | string): void
  /** Breaks the connection off without an end. */
  abort(): void
  /** Breaks the connection off once all that was written is on its way. */
  breakOff(how: 'close' | 'reset'): void
  /** True once the client is gone, or the answer is over. */
  isClosed(): boolean
  onDrain(listener: () => void): void
  /** Called once, when the client leaves or the answer is over. */
  onClose(listener: () => void): void
}

/** The socket of a request that Node's server took. */
export function nodeSink(response: ServerResponse): Sink {
  const onDrain: (() => void)[] = []
  const drain = () => onDrain.forEach((listener) => listener())
  let hasBegun = false
  return {
    start: (status, headers) => void response.writeHead(status, headers),
    write(piece) {
      const { socket } = response
      if (!hasBegun || typeof piece !== 'string' || !response.chunkedEncoding || socket === null) {
        hasBegun = true
        return response.write(piece)
      }
      const takesMore = writeChunk(socket, piece)
      if (!takesMore) socket.once('drain', drain)
      return takesMore
    },
    end: (piece) => void response.end(piece),
    abort: () => void response.destroy(),
    breakOff: (how) => breakOffSocket(response, how),
    isClosed: () => response.destroyed,
    onDrain(listener) {
      onDrain.push(listener)
      response.on('drain', listener)
    },
    onClose: (listener) => void response.once('close', listener),
  }
}

/**
 * Writes a chunk of a body (RFC 9112, section 7.1) in one go. Node makes four writes of it, and gathers them at the end of
 * the turn, which takes half as long again for each event of a stream.
 */
function writeChunk(socket: Socket, piece: string): boolean {
  const bytes = Buffer.byteLength(piece)
  return socket.write(`${bytes.toString(16)}\r\n${piece}\r\n`, bytes === piece.length ? 'latin1' : 'utf8')
}

function breakOffSocket(response: ServerResponse, how: 'close' | 'reset'): void {
  const { socket } = response
  if (socket === null) {
    response.destroy()
    return
  }
  if (response.headersSent) response.flushHeaders() // Node keeps them back for the first piece of the body
  // Runs after all that was written before; destroying the response at once would lose it.
  socket.write('', () => void (how === 'reset' ? socket.resetAndDestroy() : socket.destroy()))
}
