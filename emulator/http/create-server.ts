import type { IncomingMessage, ServerResponse } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { PATH_PREFIX } from '../../contract/facts.ts'
import type { EmulatorInstance } from '../instance.ts'
import type { ApiError } from '../core/api-errors.ts'
import { extractPath } from '../core/request-context.ts'
import { buildErrorResponse } from '../core/response.ts'
import { registerControlRoutes } from '../control/control-routes.ts'
import { handleClientError, handleProtocolErrors } from './protocol-errors.ts'
import { OPTION_TABLE } from '../options/option-table.ts'
import { createApiHandlers } from './api-routes.ts'
import { closeConnectionsWithServer } from './connections.ts'
import { installFastPath } from './fast-path/connection.ts'
import { detachRequestListeners } from './node-internals.ts'

/** Default timeout for receiving the header fields and for receiving the body of a request. */
const REQUEST_TIMEOUT_MS = 120_000
const CHECKS_PER_TIMEOUT = 4

export interface EmulatorServerOptions {
  readonly host?: string
  readonly fastPath?: 'on' | 'off'
  /** Timeout for receiving the header fields, and for receiving the body of a request, in milliseconds. */
  readonly requestTimeoutMs?: number
}

/**
 * Creates the server without listening. Fastify serves only the control API under /__emulator, and rejects unknown
 * paths. The fast path handles plain requests under /v1 before Node's HTTP server parses them.
 */
export function createServer(instance: EmulatorInstance, options: EmulatorServerOptions = {}): FastifyInstance {
  const {
    host = OPTION_TABLE.host.default,
    fastPath = OPTION_TABLE.fastPath.default,
    requestTimeoutMs = REQUEST_TIMEOUT_MS,
  } = options
  const errorContext = { behaviour: instance.settings.behaviour, clock: instance.clock }
  const sendError = (reply: FastifyReply, apiError: ApiError) => {
    const { status, headers, body } = buildErrorResponse(apiError, errorContext)
    return reply.code(status).headers(headers).send(body)
  }
  const server = fastify({
    requestTimeout: requestTimeoutMs,
    http: {
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: requestTimeoutMs / CHECKS_PER_TIMEOUT,
      requireHostHeader: false, // The emulator checks Host itself, because Node's own 400 response has no body.
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // Section 7 does not define 503, so Fastify must not send it while the server closes.
    exposeHeadRoutes: false,
    // Without this field, Fastify loads its schema compilers, which take a large part of the startup time.
    schemaController: { compilersFactory: { buildValidator: rejectSchemas, buildSerializer: rejectSchemas } },
    clientErrorHandler: (error, socket) => handleClientError(error, socket, errorContext),
    frameworkErrors: (_error, _request, reply) =>
      sendError(reply, { code: 'unknown-endpoint', message: 'The path is not well-formed.' }),
  })
  handleProtocolErrors(server.server, errorContext)
  server.server.on('connection', (socket) => instance.observer.onConnection(socket))
  // Without a parser, Fastify would respond with 415 to a request for an unknown path.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))

  const api = createApiHandlers(server.server, instance)
  const handleByFastify = detachRequestListeners(server.server)
  server.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (extractPath(request.url ?? '').startsWith(PATH_PREFIX)) api.handleNodeRequest(request, response)
    else handleByFastify(request, response)
  })
  const installed =
    fastPath === 'on' ? installFastPath(server.server, new Set(instance.endpoints.keys()), api) : undefined
  // A `data` listener makes Node parse all messages of a read before other callbacks run, as after the fast path.
  if (installed === undefined) server.server.on('connection', (socket) => socket.on('data', () => undefined))
  instance.faults.setPort(closeConnectionsWithServer(server, () => installed?.closeIdleConnections()))
  server.register(async (control) => registerControlRoutes(control, instance, host), { prefix: '/__emulator' })
  server.setNotFoundHandler(async (_request, reply) => {
    const message = 'This path does not exist. The API is under /v1, the control API under /__emulator.'
    return sendError(reply, { code: 'unknown-endpoint', message })
  })
  return server
}

function rejectSchemas(): never {
  throw new Error('A route declares a schema, but the emulator loads no schema compiler.')
}
