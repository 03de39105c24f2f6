import type { Socket } from 'node:net'
import type { ResponseWriter } from '../../core/response-writer.ts'
import { buildResponseHead, type ResponseHead } from './response-head.ts'

/** Where the answer to a plain request goes. Head and first piece leave in one write, and so do a last piece and the end. */
export class FastResponseWriter implements ResponseWriter {
  readonly #socket: Socket
  readonly #keepAliveS: () => number | undefined
  readonly #onEnd: (isLast: boolean) => void
  #head: ResponseHead | undefined
  /** The head while it waits for the first piece. */
  #unsent: ResponseHead | undefined
  #isOver = false
  #onDrain: readonly (() => void)[] = []
  #onClose: readonly (() => void)[] = []

  /**
   * @param keepAliveS asked when the answer begins: how long its connection is kept; undefined: it is the last one
   * @param onEnd called when all of the answer is written
   */
  constructor(socket: Socket, keepAliveS: () => number | undefined, onEnd: (isLast: boolean) => void) {
    this.#socket = socket
    this.#keepAliveS = keepAliveS
    this.#onEnd = onEnd
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#head !== undefined) throw new Error('the answer has begun already')
    this.#head = buildResponseHead(status, headers, this.#keepAliveS())
    this.#unsent = this.#head
  }

  write(piece: Buffer | string): boolean {
    return this.#send(piece, '')
  }

  end(piece: Buffer | string = ''): void {
    if (this.#isOver) return
    const { framing, isLast } = this.#head ?? { framing: 'no body', isLast: true }
    this.#send(piece, framing === 'chunked' ? '0\r\n\r\n' : '')
    this.close()
    this.#onEnd(isLast)
  }

  abort(): void {
    this.#socket.destroy()
  }

  abortAfterFlush(how: 'close' | 'reset'): void {
    const socket = this.#socket
    this.#send('', '')
    // Runs after all that was written before; destroying the socket at once would lose it.
    socket.write('', () => void (how === 'reset' ? socket.resetAndDestroy() : socket.destroy()))
  }

  isClosed(): boolean {
    return this.#isOver || this.#socket.destroyed
  }

  onDrain(listener: () => void): void {
    this.#onDrain = [...this.#onDrain, listener]
  }

  onClose(listener: () => void): void {
    this.#onClose = [...this.#onClose, listener]
  }

  /** To be called when the socket takes more. */
  drain(): void {
    for (const listener of this.#onDrain) listener()
  }

  /** To be called when the client is gone. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const listener of this.#onClose) listener()
  }

  /** @returns false when the client does not keep up */
  #send(piece: Buffer | string, end: string): boolean {
    const socket = this.#socket
    if (this.#isOver || !socket.writable) return true
    const bytes = this.#head?.framing === 'no body' ? 0 : Buffer.byteLength(piece)
    // An empty chunk would be the last one (RFC 9112, section 7.1).
    const [size, edge] =
      this.#head?.framing === 'chunked' && bytes > 0 ? [`${bytes.toString(16)}\r\n`, '\r\n'] : ['', '']
    const opening = this.#takeHead(typeof piece === 'string' && bytes > 0) + size
    const closing = edge + end
    if (bytes === piece.length && typeof piece === 'string') return socket.write(opening + piece + closing, 'latin1')
    gather(socket)
    socket.write(opening, 'latin1')
    if (bytes > 0) socket.write(piece)
    return socket.write(closing, 'latin1')
  }

  /** The head, if it was not sent yet. */
  #takeHead(isBeforeText: boolean): string {
    const head = this.#unsent
    if (head === undefined) return ''
    this.#unsent = undefined
    return isBeforeText ? head.textBeforeText : head.text
  }
}

/**
 * Lets all that is written in this turn leave together, as Node does: a reset takes back what is still to be sent of many
 * packets.
 */
function gather(socket: Socket): void {
  if (socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(() => socket.uncork())
}
