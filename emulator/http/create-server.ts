import type { Socket } from 'node:net'
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify'
import { PATH_PREFIX } from '../../contract/facts.ts'
import type { EmulatorInstance } from '../instance.ts'
import type { ApiError } from '../core/api-errors.ts'
import { errorResponse, type ErrorResponseContext } from '../core/response.ts'
import { registerControlApi } from '../control/control-routes.ts'
import { handleClientError, handleProtocolErrors } from './protocol-errors.ts'
import { isEndingAnswer } from './node-socket-internals.ts'
import { serveV1, type ServedV1 } from './api-routes.ts'
import { serveImages } from './image-routes.ts'
import { NO_SCHEMA_COMPILERS } from './no-schema-compilers.ts'

/** A body or header section that takes longer than this to arrive is given up, at the next look. */
const ARRIVAL_LIMIT_MS = 120_000
const LOOKS_PER_LIMIT = 4

/** While the server closes, connections whose last answer is over are let go this often. */
const SWEEP_MS = 5

/** The server with all routes: /v1 by the document, /__emulator beside it. Not listening yet. */
export function createServer(
  instance: EmulatorInstance,
  host = '127.0.0.1',
  arrivalLimitMs = ARRIVAL_LIMIT_MS,
): FastifyInstance {
  const manner = { behaviour: instance.settings.behaviour, clock: instance.clock }
  const server = fastify({
    requestTimeout: arrivalLimitMs,
    http: {
      headersTimeout: arrivalLimitMs,
      connectionsCheckingInterval: arrivalLimitMs / LOOKS_PER_LIMIT,
      requireHostHeader: false, // Node's 400 for it has no body
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // 503 is not in the document's table
    exposeHeadRoutes: false,
    schemaController: NO_SCHEMA_COMPILERS,
    clientErrorHandler: (error, socket) => handleClientError(error, socket, manner),
    frameworkErrors: (_error, request, reply) => {
      if (request.url.startsWith(PATH_PREFIX)) v1.handler(request, reply)
      else sendRefusal(reply, manner, { code: 'unknown-endpoint', message: 'The path is not well-formed.' })
    },
  })
  handleProtocolErrors(server.server, manner)
  server.server.on('connection', (socket) => instance.observer.onConnection(socket))
  // Bodies are left unread for the stages to read; without a parser Fastify answers 415.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  // As a method without a body: else Fastify refuses it before anybody asks for the key.
  server.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })
  server.setErrorHandler((error: FastifyError, _request, reply) => sendError(error, reply, manner))

  const v1 = serveV1(server, instance)
  endConnectionsOnClose(server, v1)
  serveImages(server, instance, v1.handler)
  server.register(async (control) => registerControlApi(control, instance, host), { prefix: '/__emulator' })
  server.setNotFoundHandler(async (request, reply) => {
    if (request.url.startsWith(PATH_PREFIX)) return v1.handler(request, reply)
    const message = 'Nothing is served here: the API is under /v1, the control interface under /__emulator.'
    return sendRefusal(reply, manner, { code: 'unknown-endpoint', message })
  })
  return server
}

/**
 * Closing waits for answers under way; without this it would wait for their kept-alive connections too, and for those by which
 * nothing ever came: Node gives these as long as it gives a header section to arrive.
 */
function endConnectionsOnClose(server: FastifyInstance, v1: ServedV1): void {
  const connections = new Set<Socket>()
  server.server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.server.closeAllConnections = () => connections.forEach((socket) => void socket.destroy())
  server.addHook('preClose', async () => {
    if (!server.server.listening) return
    for (let turn = 0; turn < 2; turn += 1) await nextTurn() // what has come by now is read, and will be answered
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
    const closeIdle = server.server.closeIdleConnections.bind(server.server)
    // Node, which calls this too, takes a connection for idle when an answer has ended: not all of it may be sent, and others wait.
    server.server.closeIdleConnections = () => {
      v1.closeIdle()
      if (![...connections].some(isEndingAnswer)) closeIdle()
    }
    const sweep = setInterval(() => server.server.closeIdleConnections(), SWEEP_MS)
    server.server.once('close', () => clearInterval(sweep))
  })
}

/** Resolves when the event loop has read its sockets, or is about to. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Statuses that Fastify would give of itself become those of the table; nothing of an exception reaches the client. */
function sendError(error: FastifyError, reply: FastifyReply, manner: ErrorResponseContext): FastifyReply {
  const status = error.statusCode ?? 500
  if (status >= 400 && status < 500) {
    return sendRefusal(reply, manner, { code: 'malformed-request', message: 'The request is not well-formed.' })
  }
  process.stderr.write(`touchstone emulator: unexpected ${error.stack ?? String(error)}\n`)
  return sendRefusal(reply, manner, { code: 'internal-error', message: 'Something went wrong in the service.' })
}

/** Sends a refusal that no stage gave. */
function sendRefusal(reply: FastifyReply, manner: ErrorResponseContext, refusal: ApiError): FastifyReply {
  const { status, headers, body } = errorResponse(refusal, manner)
  return reply.code(status).headers(headers).send(body)
}
