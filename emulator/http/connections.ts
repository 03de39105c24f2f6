import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { isFlushingResponse } from './node-internals.ts'

/** While the server closes, connections whose last response is sent are closed this often. */
const SWEEP_MS = 5

/**
 * Closes connections when the server closes. Without this, closing would wait for connections that are kept alive, and for those
 * that never sent anything: Node gives these as long as header fields may take.
 *
 * Replaces two methods of the server, which Node and Fastify call: `closeAllConnections` closes those of the fast path as well, and
 * `closeIdleConnections` spares connections whose last response is not sent completely.
 * @param closeIdle closes idle connections that Node does not know
 */
export function closeConnectionsWithServer(app: FastifyInstance, closeIdle: () => void): void {
  const { server } = app
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.closeAllConnections = () => connections.forEach((socket) => void socket.destroy())
  app.addHook('preClose', async () => {
    if (!server.listening) return
    for (let turn = 0; turn < 2; turn += 1) await nextTurn() // requests that have arrived by now are served
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
    const closeIdleOfNode = server.closeIdleConnections.bind(server)
    server.closeIdleConnections = () => {
      closeIdle()
      if (![...connections].some(isFlushingResponse)) closeIdleOfNode()
    }
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
    server.once('close', () => clearInterval(sweep))
  })
}

/** Resolves when the event loop has read its sockets, or is about to. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
