import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '../core/api-errors.ts'
import { buildErrorResponse, type ErrorResponseContext } from '../core/response.ts'
import { getReasonPhrase } from './reason-phrase.ts'
import { getCurrentResponse, isReceivingBody } from './node-internals.ts'

/**
 * Sends error responses with statuses of section 7 for CONNECT and for an unsupported Expect header. Node would close
 * the connection, or respond with 417.
 */
export function handleProtocolErrors(server: Server, context: ErrorResponseContext): void {
  server.on('checkExpectation', (request, response) => {
    request.resume()
    const message = 'The Expect header must be 100-continue.'
    const { status, headers, body } = buildErrorResponse({ code: 'malformed-request', message }, context)
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  })
  server.on('checkContinue', (request, response) => {
    // If the response waited for an earlier binary response, Node would write the interim response between the head and
    // the body of that response.
    if (response.socket !== null) response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('connect', (_request, socket: Duplex) => {
    // Handles the socket itself, because Node has detached it from its parser.
    socket.on('error', () => socket.destroy()).resume()
    sendErrorInOrder(socket, { code: 'unknown-endpoint', message: 'The method CONNECT is not supported.' }, context)
  })
}

/**
 * Time during which the server reads and discards bytes after an error response. An immediate close could prevent the
 * client from reading the response.
 */
const LINGER_MS = 2000

/** Connections on which Node no longer parses requests. */
const unusableConnections = new WeakSet<Duplex>()

/**
 * Returns true if the connection has received an error response for invalid bytes. Later requests on it get no
 * response.
 */
export function isUnusableConnection(socket: Duplex): boolean {
  return unusableConnections.has(socket)
}

/** Sends the error response for invalid HTTP, for header fields that are too large, and for requests that time out. */
export function handleClientError(error: NodeJS.ErrnoException, socket: Duplex, context: ErrorResponseContext): void {
  // Responds once, although Node reports the same error for every later chunk.
  if (unusableConnections.has(socket) && error.code !== 'ECONNRESET') return
  unusableConnections.add(socket)
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const message = MESSAGES[error.code ?? ''] ?? 'This is not a valid HTTP/1.1 request.'
  sendErrorInOrder(socket, { code: 'malformed-request', message }, context)
}

/**
 * Sends an error response after the responses to all earlier requests, because clients match responses by order. Sends
 * nothing if the invalid request already has a response, for example a 401.
 */
function sendErrorInOrder(socket: Duplex, apiError: ApiError, context: ErrorResponseContext): void {
  const response = getCurrentResponse(socket)
  if (!socket.writable) return
  const hasErrorResponse =
    response === undefined ? isReceivingBody(socket) : response.headersSent && !response.req.complete
  if (hasErrorResponse) {
    if (response === undefined) endAndDestroyLater(socket)
    else response.once('close', () => endAndDestroyLater(socket))
  } else if (response?.req.complete === true) response.once('close', () => sendErrorInOrder(socket, apiError, context))
  else writeErrorResponse(socket, apiError, context)
}

const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request header fields are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

function writeErrorResponse(socket: Duplex, apiError: ApiError, context: ErrorResponseContext): void {
  const { status, headers, body } = buildErrorResponse(apiError, context)
  const fields = { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  endAndDestroyLater(socket, `HTTP/1.1 ${status} ${getReasonPhrase(status)}\r\n${head.join('')}\r\n${body}`)
}

function endAndDestroyLater(socket: Duplex, last = ''): void {
  socket.end(last)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
