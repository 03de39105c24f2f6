import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ConnectionRefusal } from './connection-refusal.ts'
import { isFlushingResponse } from './node-internals.ts'

/** Interval at which a server that accepts no connections looks for idle connections, in order to close them. */
const SWEEP_INTERVAL_MS = 5

/**
 * Closes all connections when the server closes. Otherwise, the server would wait for clients to close their keep-alive
 * connections, and for Node's header timeout on connections without a request.
 *
 * Replaces two methods of the server that Node and Fastify call:
 * - `closeAllConnections` also closes the connections of the fast path.
 * - `closeIdleConnections` keeps connections open until their last response has been sent.
 * @param closeIdle closes idle connections that Node does not track
 * @returns the refusal of new connections by this server, which closes idle connections as well
 */
export function closeConnectionsWithServer(app: FastifyInstance, closeIdle: () => void): ConnectionRefusal {
  const { server } = app
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  const closeIdleOfNode = server.closeIdleConnections.bind(server)
  server.closeAllConnections = () => connections.forEach((socket) => void socket.destroy())
  server.closeIdleConnections = () => {
    closeIdle()
    if (![...connections].some(isFlushingResponse)) closeIdleOfNode()
  }
  const keepClosingIdle = () => {
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS)
    return () => clearInterval(sweep)
  }
  const refusal = new ConnectionRefusal(server, keepClosingIdle)
  app.addHook('preClose', async () => {
    if (!server.listening && !refusal.isActive()) return
    refusal.cancel()
    // Waits two turns of the event loop, in which the server still handles requests that have already arrived.
    for (let turn = 0; turn < 2; turn += 1) await waitForNextTurn()
    server.once('close', keepClosingIdle())
  })
  return refusal
}

/** Waits until the event loop has read its sockets once. */
function waitForNextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
