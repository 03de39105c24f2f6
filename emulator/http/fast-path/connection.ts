import type { Socket } from 'node:net'
import { FastResponseWriter } from './response-writer.ts'
import { parseFastRequest, type RequestLine, type FastRequest } from './parse-request.ts'

/** What connections are served with. */
export interface FastPathService {
  /** First lines of plain requests. */
  readonly lines: readonly RequestLine[]
  /** How long the first request may take to come. */
  readonly arrivalLimitMs: number
  /** How long a connection is kept for the next one. */
  readonly keepAliveMs: number
  isClosing(): boolean
  /** When what is being read just now came in, on the clock's monotonic scale. */
  arrivedMs(): number
  answer(request: FastRequest, sink: FastResponseWriter, socket: Socket, arrivedAtMs: number): void
  /** Takes over a connection whose next bytes, put back to be read again, are no plain request. */
  handOver(socket: Socket): void
  /** Ends a connection by which nothing came in time. */
  giveUp(socket: Socket): void
}

/** Bytes that are read ahead of their turn: while an earlier answer is under way, or the client does not read what was sent. */
const MOST_AHEAD_BYTES = 64 * 1024

/** A kept connection is closed so much later than is said, for a request that is on its way then. */
const GRACE_MS = 1000

/** A connection all of whose requests so far were plain. */
export class FastConnection {
  readonly #socket: Socket
  readonly #service: FastPathService
  /** Of the answer under way. */
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

  /** Closes it if nothing came that is not answered, and all answers are on their way. */
  closeIfIdle(): void {
    if (this.#isIdle()) this.#socket.destroy()
  }

  readonly #listeners = {
    data: (bytes: Buffer) => this.#read(bytes),
    drain: () => (this.#sink === undefined ? this.#readOn() : this.#sink.drain()),
    end: () => this.#socket.end(), // who says no more is gone, as for Node's own server
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

  /** Keeps what came before its turn: it waits for that from when it came. */
  #readAhead(bytes: Buffer, arrivedAtMs: number): void {
    const ahead = this.#ahead
    this.#ahead =
      ahead === undefined ? { bytes, arrivedAtMs } : { ...ahead, bytes: Buffer.concat([ahead.bytes, bytes]) }
    if (this.#ahead.bytes.length > MOST_AHEAD_BYTES) this.#socket.pause()
  }

  /** An answer behind which a request waits does not say that it is the last: nobody would answer that one. */
  readonly #keepAliveS = () => {
    const isLast = this.#service.isClosing() && this.#ahead === undefined
    return isLast ? undefined : Math.floor(this.#service.keepAliveMs / 1000)
  }

  /** After an answer. */
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

  /** Reads what came ahead, but for a client that does not read: its answers would pile up here. */
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
    this.#isOver = true // whatever comes now would be charged, and its answer reach nobody
    if (this.#hasAnswered) this.#socket.destroy()
    else this.#service.giveUp(this.#socket)
  }
}
