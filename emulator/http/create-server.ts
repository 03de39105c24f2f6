import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify'
import { PATH_PREFIX } from '../../contract/facts.ts'
import type { EmulatorInstance } from '../instance.ts'
import type { ApiError } from '../core/api-errors.ts'
import { logProblem } from '../core/events.ts'
import { buildErrorResponse, type ErrorResponseContext } from '../core/response.ts'
import { registerControlRoutes } from '../control/control-routes.ts'
import { handleClientError, handleProtocolErrors } from './protocol-errors.ts'
import { OPTION_TABLE } from '../options/option-table.ts'
import { registerApiRoutes } from './api-routes.ts'
import { closeConnectionsWithServer } from './connections.ts'
import { installFastPath } from './fast-path/connection.ts'
import { registerImageRoute } from './image-routes.ts'
import { NO_SCHEMA_COMPILERS } from './no-schema-compilers.ts'

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
 * Creates the server without listening. Fastify serves the API under /v1, generated images, and the control API under
 * /__emulator. The fast path handles plain requests before they reach Fastify.
 *
 * Do not add asynchronous hooks: the order of the responses of a connection requires that handlers start synchronously.
 */
export function createServer(instance: EmulatorInstance, options: EmulatorServerOptions = {}): FastifyInstance {
  const {
    host = OPTION_TABLE.host.default,
    fastPath = OPTION_TABLE.fastPath.default,
    requestTimeoutMs = REQUEST_TIMEOUT_MS,
  } = options
  const errorContext = { behaviour: instance.settings.behaviour, clock: instance.clock }
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
    schemaController: NO_SCHEMA_COMPILERS,
    clientErrorHandler: (error, socket) => handleClientError(error, socket, errorContext),
    frameworkErrors: (_error, request, reply) => {
      if (request.url.startsWith(PATH_PREFIX)) api.handler(request, reply)
      else sendError(reply, errorContext, { code: 'unknown-endpoint', message: 'The path is not well-formed.' })
    },
  })
  handleProtocolErrors(server.server, errorContext)
  server.server.on('connection', (socket) => instance.observer.onConnection(socket))
  // The core reads bodies itself. Without a parser, Fastify would respond with 415.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  // Without this line, Fastify would reject a QUERY request before the emulator authenticates it.
  server.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true })
  server.setErrorHandler((error: FastifyError, _request, reply) => handleError(error, reply, errorContext))

  const api = registerApiRoutes(server, instance)
  const installed =
    fastPath === 'on' ? installFastPath(server.server, new Set(instance.endpoints.keys()), api) : undefined
  // A `data` listener makes Node parse all messages of a read before other callbacks run, as after the fast path.
  if (installed === undefined) server.server.on('connection', (socket) => socket.on('data', () => undefined))
  instance.faults.setPort(closeConnectionsWithServer(server, () => installed?.closeIdleConnections()))
  registerImageRoute(server, instance, api.handler)
  server.register(async (control) => registerControlRoutes(control, instance, host), { prefix: '/__emulator' })
  server.setNotFoundHandler(async (request, reply) => {
    if (request.url.startsWith(PATH_PREFIX)) return api.handler(request, reply)
    const message = 'This path does not exist. The API is under /v1, the control API under /__emulator.'
    return sendError(reply, errorContext, { code: 'unknown-endpoint', message })
  })
  return server
}

/**
 * Converts an error of Fastify to an error response with a status of section 7. Logs exceptions without revealing their
 * details to the client.
 */
function handleError(error: FastifyError, reply: FastifyReply, context: ErrorResponseContext): FastifyReply {
  const status = error.statusCode ?? 500
  if (status >= 400 && status < 500) {
    return sendError(reply, context, { code: 'malformed-request', message: 'The request is not well-formed.' })
  }
  logProblem(`unexpected ${error.stack ?? String(error)}`)
  return sendError(reply, context, { code: 'internal-error', message: 'The service failed unexpectedly.' })
}

/** Sends an error response for a request that does not reach the core. */
function sendError(reply: FastifyReply, context: ErrorResponseContext, apiError: ApiError): FastifyReply {
  const { status, headers, body } = buildErrorResponse(apiError, context)
  return reply.code(status).headers(headers).send(body)
}
