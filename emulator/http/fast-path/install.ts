import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { FastConnection, type FastPathService } from './connection.ts'
import { requestLines } from './parse-request.ts'

/**
 * Takes the connections of a server that does not listen yet, and leaves to it each by which something else than plain
 * requests comes, from there on.
 * @returns how to close those that wait for a next request, of which the server knows nothing
 */
export function installFastPath(
  server: Server,
  targets: Iterable<string>,
  { arrivedMs, answer }: Pick<FastPathService, 'arrivedMs' | 'answer'>,
): { closeIdle(): void } {
  // The one listener that each such server begins with.
  const [serveByNode] = server.listeners('connection') as ((socket: Socket) => void)[]
  if (serveByNode === undefined)
    throw new Error('this is no server of node:http, or somebody else serves its connections')
  const connections = new Map<Socket, FastConnection>()
  const service: FastPathService = {
    lines: requestLines(targets),
    arrivedMs,
    answer,
    arrivalLimitMs: server.headersTimeout,
    keepAliveMs: server.keepAliveTimeout,
    isClosing: () => !server.listening,
    handOver: (socket) => {
      connections.delete(socket)
      serveByNode.call(server, socket)
      // Node's parser reads past the socket, straight from the system, until somebody listens: bytes that were put back into the
      // socket and wait there, as while the client reads slowly, would be overtaken.
      socket.on('data', () => undefined)
    },
    giveUp: (socket) => {
      const error = Object.assign(new Error('nothing came in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      server.emit('clientError', error, socket)
    },
  }
  server.off('connection', serveByNode)
  server.on('connection', (socket) => {
    connections.set(socket, new FastConnection(socket, service))
    socket.once('close', () => connections.delete(socket))
  })
  return {
    closeIdle: () => {
      for (const connection of connections.values()) connection.closeIfIdle()
    },
  }
}
