import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ResponseWriter } from '../../core/response-writer.ts'
import { detachConnectionListener } from '../node-internals.ts'
import { parseFastRequest, buildRequestLines, type FastRequest, type RequestLine } from './parse-request.ts'
import { FastResponseWriter } from './response-writer.ts'

export interface FastPathHandlers {
  /** Returns the arrival time of the bytes being read, in milliseconds on the monotonic clock. */
  arrivedMs(): number
  handleFastRequest(request: FastRequest, writer: ResponseWriter, socket: Socket, arrivedAtMs: number): void
}

export interface FastPath {
  /** Closes idle keep-alive connections that Node's HTTP server does not track. */
  closeIdleConnections(): void
}

/**
 * Installs the fast path in front of a server that does not listen yet. README.md lists the requests that the fast path
 * handles. It passes all other requests to Node.
 * @param paths paths of the operations
 */
export function installFastPath(server: Server, paths: ReadonlySet<string>, target: FastPathHandlers): FastPath {
  const giveToNode = detachConnectionListener(server)
  const connections = new Map<Socket, FastConnection>()
  const service: FastPathContext = {
    requestLines: buildRequestLines(paths),
    arrivedMs: () => target.arrivedMs(),
    handleRequest: (request, writer, socket, arrivedAtMs) =>
      target.handleFastRequest(request, writer, socket, arrivedAtMs),
    requestTimeoutMs: server.headersTimeout,
    keepAliveTimeoutMs: server.keepAliveTimeout,
    isClosing: () => !server.listening,
    passToNode: (socket) => {
      connections.delete(socket)
      giveToNode(socket)
      // Without a `data` listener, Node's parser reads directly from the operating system. It would then read new bytes
      // before the bytes that were put back into the socket.
      socket.on('data', () => undefined)
    },
    reportTimeout: (socket) => {
      const error = Object.assign(new Error('no request arrived in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.emit('clientError', error, socket)
    },
  }
  server.on('connection', (socket) => {
    connections.set(socket, new FastConnection(socket, service))
    socket.once('close', () => connections.delete(socket))
  })
  return {
    closeIdleConnections: () => {
      for (const connection of connections.values()) connection.closeIfIdle()
    },
  }
}

interface FastPathContext {
  readonly requestLines: readonly RequestLine[]
  /** Timeout for the first request on a connection, in milliseconds. */
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  isClosing(): boolean
  arrivedMs(): number
  handleRequest(request: FastRequest, writer: FastResponseWriter, socket: Socket, arrivedAtMs: number): void
  /**
   * Passes a connection to Node's HTTP server, because the next bytes are not a plain request. The bytes have been put
   * back into the socket.
   */
  passToNode(socket: Socket): void
  /** Sends an error response on a connection that sent no request before the timeout, and closes it. */
  reportTimeout(socket: Socket): void
}

/** Maximum number of bytes buffered while a response is in progress or the client does not read. */
const MAX_BUFFERED_BYTES = 64 * 1024

/**
 * Time by which the connection outlives the keep-alive timeout in the response header, for requests sent just before
 * that timeout.
 */
const KEEP_ALIVE_GRACE_MS = 1000

/** A connection on which only plain requests have arrived so far. */
class FastConnection {
  readonly #socket: Socket
  readonly #service: FastPathContext
  /** Writer of the response in progress; undefined between responses. */
  #writer: FastResponseWriter | undefined
  #buffered: { readonly bytes: Buffer; readonly arrivedAtMs: number } | undefined
  #hasResponded = false
  #isOver = false

  constructor(socket: Socket, service: FastPathContext) {
    this.#socket = socket
    this.#service = service
    socket.setTimeout(service.requestTimeoutMs)
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener)
  }

  /** Closes the connection if it has no pending request and no unsent response. */
  closeIfIdle(): void {
    if (this.#isIdle()) this.#socket.destroy()
  }

  readonly #listeners = {
    data: (bytes: Buffer) => this.#read(bytes),
    drain: () => (this.#writer === undefined ? this.#processBuffered() : this.#writer.drain()),
    // A client that closes its sending side counts as disconnected, as in Node's HTTP server.
    end: () => this.#socket.end(),
    error: () => this.#socket.destroy(),
    timeout: () => this.#onTimeout(),
    close: () => this.#writer?.close(),
  }

  #isIdle(): boolean {
    return this.#writer === undefined && this.#socket.writableLength === 0
  }

  #read(bytes: Buffer, arrivedAtMs = this.#service.arrivedMs()): void {
    if (this.#isOver) return
    if (this.#writer !== undefined || this.#socket.writableNeedDrain) {
      this.#buffer(bytes, arrivedAtMs)
      return
    }
    const request = parseFastRequest(bytes, this.#service.requestLines)
    if (request === undefined) {
      this.#passToNode(bytes)
      return
    }
    this.#writer = new FastResponseWriter(this.#socket, this.#getKeepAliveS, this.#onResponseEnd)
    this.#service.handleRequest(request, this.#writer, this.#socket, arrivedAtMs)
  }

  /** Buffers bytes that arrive while an earlier response is in progress. Keeps the arrival time of the first bytes. */
  #buffer(bytes: Buffer, arrivedAtMs: number): void {
    const ahead = this.#buffered
    this.#buffered =
      ahead === undefined ? { bytes, arrivedAtMs } : { ...ahead, bytes: Buffer.concat([ahead.bytes, bytes]) }
    if (this.#buffered.bytes.length > MAX_BUFFERED_BYTES) this.#socket.pause()
  }

  /**
   * Returns the keep-alive timeout for the response header in seconds, or undefined for `connection: close`. While
   * further bytes wait, the connection stays open; otherwise their request would get no response.
   */
  readonly #getKeepAliveS = () => {
    const isLast = this.#service.isClosing() && this.#buffered === undefined
    return isLast ? undefined : Math.floor(this.#service.keepAliveTimeoutMs / 1000)
  }

  readonly #onResponseEnd = (isLast: boolean) => {
    this.#writer = undefined
    this.#isOver = isLast
    if (isLast) {
      this.#socket.destroySoon()
      return
    }
    if (!this.#hasResponded) this.#socket.setTimeout(this.#service.keepAliveTimeoutMs + KEEP_ALIVE_GRACE_MS)
    this.#hasResponded = true
    this.#processBuffered()
  }

  /**
   * Processes the buffered bytes. Waits while the client does not read its responses, because unread responses would
   * accumulate in memory.
   */
  #processBuffered(): void {
    const ahead = this.#buffered
    if (ahead === undefined || this.#socket.writableNeedDrain || !this.#socket.writable) return
    this.#buffered = undefined
    this.#socket.resume()
    this.#read(ahead.bytes, ahead.arrivedAtMs)
  }

  #passToNode(bytes: Buffer): void {
    const socket = this.#socket
    for (const [event, listener] of Object.entries(this.#listeners)) socket.off(event, listener)
    socket.setTimeout(0)
    socket.pause()
    socket.unshift(bytes)
    this.#service.passToNode(socket)
    socket.resume()
  }

  #onTimeout(): void {
    if (!this.#isIdle()) return
    // Stops reading, because a later request would be charged although its response could not be delivered.
    this.#isOver = true
    if (this.#hasResponded) this.#socket.destroy()
    else this.#service.reportTimeout(this.#socket)
  }
}
