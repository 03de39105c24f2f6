import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ResponseWriter } from '../../core/response-writer.ts'
import { takeConnectionListener, takeRequestListeners } from '../node-internals.ts'
import { FastConnection, type FastPathService } from './connection.ts'
import { requestLines, type FastRequest } from './parse-request.ts'

/** Handlers for requests on the fast path. */
export interface FastPathTarget {
  /** Arrival time of the bytes being read, in milliseconds of the clock's monotonic time. */
  arrivedMs(): number
  /** Handles a plain request, read from its connection without Node's HTTP server. */
  handleFastRequest(request: FastRequest, writer: ResponseWriter, socket: Socket, arrivedAtMs: number): void
  /** Handles a request to one of the paths, parsed by Node's HTTP server, without Fastify's router. */
  handleNodeRequest(request: IncomingMessage, response: ServerResponse): void
}

/** An installed fast path. */
export interface FastPath {
  /** Closes keep-alive connections that are idle and that Node's server does not track. */
  closeIdleConnections(): void
}

/**
 * Installs the fast path in front of a server that does not listen yet. README.md describes which requests it handles
 * and which it passes to Node.
 * @param paths request targets of the operations
 */
export function installFastPath(server: Server, paths: ReadonlySet<string>, target: FastPathTarget): FastPath {
  const handleByFastify = takeRequestListeners(server)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (paths.has(request.url ?? '')) target.handleNodeRequest(request, response)
    else handleByFastify(request, response)
  })
  const giveToNode = takeConnectionListener(server)
  const connections = new Map<Socket, FastConnection>()
  const service: FastPathService = {
    lines: requestLines(paths),
    arrivedMs: () => target.arrivedMs(),
    answer: (request, writer, socket, arrivedAtMs) => target.handleFastRequest(request, writer, socket, arrivedAtMs),
    arrivalLimitMs: server.headersTimeout,
    keepAliveMs: server.keepAliveTimeout,
    isClosing: () => !server.listening,
    handOver: (socket) => {
      connections.delete(socket)
      giveToNode(socket)
      // Until a listener is added, Node's parser reads directly from the system. It would overtake bytes that were put
      // back into the socket and wait there, as they do while the client reads slowly.
      socket.on('data', () => undefined)
    },
    giveUp: (socket) => {
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
