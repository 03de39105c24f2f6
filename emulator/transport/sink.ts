import type { ServerResponse } from 'node:http'

/** Where an answer goes: a socket, or a caller in the same process. */
export interface Sink {
  /** Sends status and header fields. Once, and first. */
  start(status: number, headers: Readonly<Record<string, string>>): void
  /** Sends a part of the body. @returns false when the client does not keep up: wait for `onDrain` */
  write(piece: Buffer | string): boolean
  end(): void
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
  return {
    start: (status, headers) => void response.writeHead(status, headers),
    write: (piece) => response.write(piece),
    end: () => void response.end(),
    abort: () => void response.destroy(),
    breakOff: (how) => breakOffSocket(response, how),
    isClosed: () => response.destroyed,
    onDrain: (listener) => void response.on('drain', listener),
    onClose: (listener) => void response.once('close', listener),
  }
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
