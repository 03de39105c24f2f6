import type { Socket } from 'node:net'
import type { ResponseWriter } from '../../core/response-writer.ts'
import { destroyAfterFlush, writeHalf } from '../lost-connection.ts'
import { getReasonPhrase } from '../reason-phrase.ts'

/**
 * Writes the response to a request of the fast path. Sends the head together with the first part of the body, and the
 * last part together with the end of the body.
 */
export class FastResponseWriter implements ResponseWriter {
  readonly #socket: Socket
  readonly #getKeepAliveS: () => number | undefined
  readonly #onEnd: (isLast: boolean) => void
  /** Undefined until the response starts. */
  #framing: ResponseHead['framing'] | undefined
  /** Text of the head, until it is sent with the first part of the body. An open stream does not keep it. */
  #unsentHead = ''
  #isOver = false
  #closesAfterEnd = false
  #onDrain: readonly (() => void)[] = []
  #onClose: readonly (() => void)[] = []

  /**
   * Creates the writer of one response.
   * @param keepAliveS called when the response starts; returns the keep-alive timeout in seconds, or undefined if the
   * connection closes after this response
   * @param onEnd called when the whole response has been written
   */
  constructor(socket: Socket, keepAliveS: () => number | undefined, onEnd: (isLast: boolean) => void) {
    this.#socket = socket
    this.#getKeepAliveS = keepAliveS
    this.#onEnd = onEnd
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#framing !== undefined) throw new Error('the response has already started')
    const { text, framing, isLast } = buildResponseHead(status, headers, this.#getKeepAliveS())
    this.#framing = framing
    if (isLast) this.#closesAfterEnd = true
    this.#unsentHead = text
  }

  write(piece: Buffer | string): boolean {
    return this.#send(piece, '')
  }

  end(piece: Buffer | string = ''): void {
    if (this.#isOver) return
    this.#send(piece, this.#framing === 'chunked' ? '0\r\n\r\n' : '')
    this.close()
    this.#onEnd(this.#closesAfterEnd || this.#framing === undefined)
  }

  closeAfterEnd(): void {
    this.#closesAfterEnd = true
  }

  abort(): void {
    this.#socket.destroy()
  }

  abortAfterFlush(how: 'close' | 'reset'): void {
    this.#send('', '')
    destroyAfterFlush(this.#socket, how)
  }

  abortInHead(status: number, headers: Readonly<Record<string, string>>, how: 'close' | 'reset'): void {
    const { text } = buildResponseHead(status, headers, this.#getKeepAliveS())
    writeHalf(this.#socket, text)
    destroyAfterFlush(this.#socket, how)
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

  /** Continues a paused response. The connection must call it when the socket drains. */
  drain(): void {
    for (const listener of this.#onDrain) listener()
  }

  /** Ends the response without sending more. The connection must call it when the client disconnects. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const listener of this.#onClose) listener()
  }

  /**
   * Writes a part of the body with its chunk framing, followed by `end`.
   * @returns false if the send buffer is full
   */
  #send(piece: Buffer | string, end: string): boolean {
    const socket = this.#socket
    if (this.#isOver || !socket.writable) return true
    const bytes = this.#framing === 'no body' ? 0 : piece.length
    // An empty chunk would end the body (RFC 9112, section 7.1).
    const [size, edge] = this.#framing === 'chunked' && bytes > 0 ? [`${bytes.toString(16)}\r\n`, '\r\n'] : ['', '']
    const opening = this.#takeHead() + size
    const closing = edge + end
    if (typeof piece === 'string') return socket.write(opening + (bytes > 0 ? piece : '') + closing, 'latin1')
    corkUntilNextTick(socket)
    socket.write(opening, 'latin1')
    if (bytes > 0) socket.write(piece)
    return socket.write(closing, 'latin1')
  }

  /** Returns the head if it has not been sent yet, and an empty string otherwise. */
  #takeHead(): string {
    const head = this.#unsentHead
    this.#unsentHead = ''
    return head
  }
}

/**
 * Combines all writes until the next tick into one system call, as Node does. A reset could discard separate packets
 * that have not been sent.
 */
function corkUntilNextTick(socket: Socket): void {
  if (socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(() => socket.uncork())
}

/** Matches characters that a header value must not contain (RFC 9110, section 5.5). */
const INVALID_HEADER_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/

interface ResponseHead {
  readonly text: string
  readonly framing: 'chunked' | 'announced' | 'no body'
  readonly isLast: boolean
}

/**
 * Builds the head of a response in Node's format: the given header fields, then the fields that Node adds.
 * @param keepAliveS keep-alive timeout in seconds, or undefined if the connection closes after this response
 * @throws TypeError if a value contains characters that HTTP does not allow
 */
function buildResponseHead(
  status: number,
  headers: Readonly<Record<string, string>>,
  keepAliveS: number | undefined,
): ResponseHead {
  // Puts `connection: close` before all other header fields, as Node does.
  const fields: Readonly<Record<string, string>> =
    keepAliveS === undefined ? { connection: 'close', ...headers } : headers
  let text = `HTTP/1.1 ${status} ${getReasonPhrase(status)}\r\n`
  for (const name in fields) {
    const value = fields[name] ?? ''
    if (INVALID_HEADER_CHARACTER.test(value))
      throw new TypeError(`the header field '${name}' has a character that cannot be sent`)
    text += `${name}: ${value}\r\n`
  }
  const { date, connection, 'keep-alive': keepAlive, 'transfer-encoding': coding } = fields
  if (date === undefined) text += `Date: ${getDateHeader()}\r\n`
  if (connection === undefined) {
    text += 'Connection: keep-alive\r\n'
    if (keepAlive === undefined) text += `Keep-Alive: timeout=${keepAliveS}\r\n`
  }
  const framing = selectFraming(status, fields)
  if (framing === 'chunked' && coding === undefined) text += 'Transfer-Encoding: chunked\r\n'
  const isLast = keepAliveS === undefined || (connection !== undefined && /\bclose\b/i.test(connection))
  text += '\r\n'
  return { text, framing, isLast }
}

function selectFraming(status: number, headers: Readonly<Record<string, string>>): ResponseHead['framing'] {
  if (status === 204 || status === 304) return 'no body' // RFC 9112, section 6.3, allows no body.
  const { 'content-length': length, 'transfer-encoding': coding = length === undefined ? 'chunked' : '' } = headers
  return /\bchunked\b/i.test(coding) ? 'chunked' : 'announced'
}

let datedS = 0
let dated = ''

/** Returns the current time in the format of the Date header. Updates it once a second. */
function getDateHeader(): string {
  const nowS = Math.floor(Date.now() / 1000)
  if (nowS !== datedS) {
    datedS = nowS
    dated = new Date(nowS * 1000).toUTCString()
  }
  return dated
}
