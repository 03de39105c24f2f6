import type { Socket } from 'node:net'
import { FastResponseWriter } from './response-writer.ts'
import { parseFastRequest, type RequestLine, type FastRequest } from './parse-request.ts'

/** Handlers and settings shared by all connections of the fast path. */
export interface FastPathService {
  /** Request lines of plain requests. */
  readonly lines: readonly RequestLine[]
  /** Timeout for the first request, in milliseconds. */
  readonly arrivalLimitMs: number
  /** Keep-alive timeout, in milliseconds. */
  readonly keepAliveMs: number
  isClosing(): boolean
  /** Arrival time of the bytes being read, in milliseconds of the clock's monotonic time. */
  arrivedMs(): number
  answer(request: FastRequest, sink: FastResponseWriter, socket: Socket, arrivedAtMs: number): void
  /** Takes over a connection whose next bytes are not a plain request. Those bytes were put back into the socket. */
  handOver(socket: Socket): void
  /** Ends a connection on which no request arrived in time. */
  giveUp(socket: Socket): void
}

/** Maximum number of bytes read ahead, while an earlier response is in progress or the client does not read. */
const MOST_AHEAD_BYTES = 64 * 1024

/** Grace period added to the announced keep-alive timeout, for a request already on its way. */
const GRACE_MS = 1000

/** A connection that has carried only plain requests so far. */
export class FastConnection {
  readonly #socket: Socket
  readonly #service: FastPathService
  /** Writer of the response in progress. */
  #sink: FastResponseWriter | undefined
  #ahead: { readonly bytes: Buffer; readonly arrivedAtMs: number } | undefined
  #hasAnswered = false
  #isOver = false

  constructor(socket: Socket, service: FastPathService) {
    this.#socket = socket
    this.#service = service
    socket.setTimeout(service.arrivalLimitMs)
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener)
  }

  /** Closes the connection if it has no pending request and no unsent response. */
  closeIfIdle(): void {
    if (this.#isIdle()) this.#socket.destroy()
  }

  readonly #listeners = {
    data: (bytes: Buffer) => this.#read(bytes),
    drain: () => (this.#sink === undefined ? this.#readOn() : this.#sink.drain()),
    end: () => this.#socket.end(), // A client that ends its side has disconnected, as with Node's own server.
    error: () => this.#socket.destroy(),
    timeout: () => this.#expire(),
    close: () => this.#sink?.close(),
  }

  #isIdle(): boolean {
    return this.#sink === undefined && this.#socket.writableLength === 0
  }

  #read(bytes: Buffer, arrivedAtMs = this.#service.arrivedMs()): void {
    if (this.#isOver) return
    if (this.#sink !== undefined || this.#socket.writableNeedDrain) {
      this.#readAhead(bytes, arrivedAtMs)
      return
    }
    const request = parseFastRequest(bytes, this.#service.lines)
    if (request === undefined) {
      this.#handOver(bytes)
      return
    }
    this.#sink = new FastResponseWriter(this.#socket, this.#keepAliveS, this.#goOn)
    this.#service.answer(request, this.#sink, this.#socket, arrivedAtMs)
  }

  /** Buffers bytes that arrived during an earlier response, with their arrival time. */
  #readAhead(bytes: Buffer, arrivedAtMs: number): void {
    const ahead = this.#ahead
    this.#ahead =
      ahead === undefined ? { bytes, arrivedAtMs } : { ...ahead, bytes: Buffer.concat([ahead.bytes, bytes]) }
    if (this.#ahead.bytes.length > MOST_AHEAD_BYTES) this.#socket.pause()
  }

  /**
   * Decides whether the response may announce the end of the connection. It may not while another request waits: that
   * request would get no response.
   */
  readonly #keepAliveS = () => {
    const isLast = this.#service.isClosing() && this.#ahead === undefined
    return isLast ? undefined : Math.floor(this.#service.keepAliveMs / 1000)
  }

  /** Called after each response. */
  readonly #goOn = (isLast: boolean) => {
    this.#sink = undefined
    this.#isOver = isLast
    if (isLast) {
      this.#socket.destroySoon()
      return
    }
    if (!this.#hasAnswered) this.#socket.setTimeout(this.#service.keepAliveMs + GRACE_MS)
    this.#hasAnswered = true
    this.#readOn()
  }

  /** Processes the bytes read ahead, unless the client does not read its responses: they would accumulate in memory. */
  #readOn(): void {
    const ahead = this.#ahead
    if (ahead === undefined || this.#socket.writableNeedDrain || !this.#socket.writable) return
    this.#ahead = undefined
    this.#socket.resume()
    this.#read(ahead.bytes, ahead.arrivedAtMs)
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket
    for (const [event, listener] of Object.entries(this.#listeners)) socket.off(event, listener)
    socket.setTimeout(0)
    socket.pause()
    socket.unshift(bytes)
    this.#service.handOver(socket)
    socket.resume()
  }

  #expire(): void {
    if (!this.#isIdle()) return
    this.#isOver = true // A request read now would be charged, and its response could not be delivered.
    if (this.#hasAnswered) this.#socket.destroy()
    else this.#service.giveUp(this.#socket)
  }
}
