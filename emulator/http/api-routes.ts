import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { EmulatorInstance } from '../instance.ts'
import { ClientDisconnectedError, type IncomingRequest } from '../core/request-context.ts'
import { handleRequest } from '../core/handle-request.ts'
import { NodeResponseWriter } from './node-response-writer.ts'
import { ConnectionCloser } from './connection-close.ts'
import type { FastRequest } from './fast-path/parse-request.ts'
import { pauseReading, resumeReading } from './node-internals.ts'
import { isUnusableConnection } from './protocol-errors.ts'
import { UploadLimiter } from './upload-limiter.ts'
import type { FastPathHandlers } from './fast-path/connection.ts'
import { serveRequest } from './serve-request.ts'

export interface ApiHandlers extends FastPathHandlers {
  /** Handles a request under /v1 that Node's HTTP server has parsed. */
  handleNodeRequest(request: IncomingMessage, response: ServerResponse): void
}

/**
 * Creates the functions that handle requests under /v1. They do not wait for the body, so a request without a key is
 * rejected before its body arrives.
 */
export function createApiHandlers(server: Server, instance: EmulatorInstance): ApiHandlers {
  const queue = new RequestQueue()
  const closer = new ConnectionCloser(server)
  const runInTurn = createPipeline()
  return {
    handleNodeRequest(request, response) {
      if (isUnusableConnection(request.socket) || !closer.recordRequest(response)) return
      const incoming = adaptNodeRequest(request, instance)
      const writer = new NodeResponseWriter(response, closer.announceClose)
      runInTurn(response, () => queue.enqueue(() => void serveRequest(incoming, writer, instance)))
    },
    handleFastRequest(request, writer, socket, arrivedAtMs) {
      const incoming = adaptFastRequest(request, socket, arrivedAtMs, instance)
      queue.enqueue(() => void handleRequest(incoming, writer, instance))
    },
    arrivedMs: () => instance.clock.arrivedMs(),
  }
}

function adaptNodeRequest(request: IncomingMessage, instance: EmulatorInstance): IncomingRequest {
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    headers: request.headers,
    httpVersion: request.httpVersion,
    baseUrl: getBaseUrl(request.socket, request.headers.host, instance),
    connection: request.socket,
    arrivedAtMs: instance.clock.arrivedMs(),
    readBody: (limitBytes: number) => readBody(request, limitBytes),
  }
}

function adaptFastRequest(
  { method, target, headers, body }: FastRequest,
  socket: Socket,
  arrivedAtMs: number,
  instance: EmulatorInstance,
): IncomingRequest {
  const readFastBody = (limitBytes: number) => {
    if (body.length > limitBytes) return undefined
    // If the client has already disconnected, the emulator charges nothing.
    return socket.destroyed ? Promise.reject(new ClientDisconnectedError()) : body
  }
  return {
    method,
    target,
    headers,
    baseUrl: getBaseUrl(socket, headers['host'], instance),
    connection: socket,
    arrivedAtMs,
    readBody: readFastBody,
  }
}

/**
 * Reads a request body. Usually returns synchronously, because the whole body has arrived.
 * @returns undefined if the body exceeds `limitBytes`; the server then discards the remaining body
 */
function readBody(request: IncomingMessage, limitBytes: number): Buffer | undefined | Promise<Buffer | undefined> {
  if (Number(request.headers['content-length']) > limitBytes) return undefined
  if (request.destroyed) return Promise.reject(new ClientDisconnectedError())
  if (!request.complete || request.readableFlowing === true) return readIncompleteBody(request, limitBytes)
  const body: Buffer = request.read() ?? Buffer.alloc(0)
  return body.length > limitBytes ? undefined : body
}

const uploads = new UploadLimiter()

function readIncompleteBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      uploads.add(request, chunk.length)
      if (bytes <= limitBytes) {
        chunks.push(chunk)
        return
      }
      request.off('data', onData)
      uploads.remove(request)
      chunks.length = 0
      resolve(undefined)
    }
    request.on('data', onData)
    const onGone = () => {
      uploads.remove(request)
      reject(new ClientDisconnectedError())
    }
    request.on('error', onGone)
    request.on('close', onGone)
    request.on('end', () => {
      // Without this line, the `close` event of every request would create an error with a stack trace, which is slow.
      request.off('close', onGone)
      uploads.remove(request)
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    })
  })
}

/** Returns the scheme and host of the client's request. Image URLs built from it also work behind a port mapping. */
function getBaseUrl(socket: Socket, host = '', { settings }: EmulatorInstance): string {
  if (settings.publicUrl !== undefined) return settings.publicUrl
  if (/^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i.test(host)) return `http://${host}`
  const { localAddress = '127.0.0.1', localPort = 80 } = socket
  return `http://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}

/** Maximum number of requests that wait for earlier responses on a connection before the server stops reading it. */
const MAX_PIPELINED = 16

/**
 * Creates a function that starts a request when all earlier responses on its connection are complete. Otherwise, the
 * responses to a client that sends requests without reading responses would accumulate in memory.
 */
function createPipeline(): (response: ServerResponse, begin: () => void) => void {
  const waiting = new WeakMap<Socket, number>()
  const count = (socket: Socket, change: 1 | -1) => {
    const requests = (waiting.get(socket) ?? 0) + change
    waiting.set(socket, requests)
    if (change === 1 && requests > MAX_PIPELINED) pauseReading(socket)
    if (change === -1 && requests <= MAX_PIPELINED) resumeReading(socket)
  }
  return (response, begin) => {
    if (response.socket !== null) {
      begin()
      return
    }
    const { socket } = response.req
    count(socket, 1)
    // Node emits `socket` when all earlier responses are complete.
    response.once('socket', () => {
      count(socket, -1)
      begin()
    })
  }
}

const MAX_REQUESTS_PER_TURN = 8

/**
 * Starts requests in order of arrival, at most MAX_REQUESTS_PER_TURN per turn of the event loop. Between turns, the
 * event loop reads sockets, records arrival times and writes overdue events. Most bodies have arrived completely when
 * their request starts.
 */
export class RequestQueue {
  readonly #waiting: (() => void)[] = []

  /**
   * Adds a request to the queue.
   * @param begin starts the request in a later turn of the event loop; must not throw
   */
  enqueue(begin: () => void): void {
    if (this.#waiting.push(begin) === 1) setImmediate(this.#next)
  }

  readonly #next = () => {
    const next = this.#waiting.splice(0, MAX_REQUESTS_PER_TURN)
    if (this.#waiting.length > 0) setImmediate(this.#next)
    for (const begin of next) begin()
  }
}
