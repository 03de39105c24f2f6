import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '../core/api-errors.ts'
import { buildErrorResponse, type ErrorResponseContext } from '../core/response.ts'
import { getReasonPhrase } from './reason-phrase.ts'
import { currentResponse, isReceivingBody } from './node-internals.ts'

/**
 * Sends the error responses for requests that never reach a handler. Node would respond with statuses outside the table
 * of section 7 (408, 417, 431, …), or not at all (CONNECT). Each of them gets a status of the table instead.
 */
export function handleProtocolErrors(server: Server, context: ErrorResponseContext): void {
  server.on('checkExpectation', (request, response) => {
    request.resume()
    const message = 'The Expect header asks for something else than 100-continue.'
    const { status, headers, body } = buildErrorResponse({ code: 'malformed-request', message }, context)
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  })
  server.on('checkContinue', (request, response) => {
    // For a response that waits behind another, Node would write this between head and body of a binary response.
    if (response.socket !== null) response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('connect', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy()).resume() // Node has detached it.
    sendErrorInOrder(socket, { code: 'unknown-endpoint', message: 'CONNECT is not served here.' }, context)
  })
}

/**
 * Time for which bytes after an error response are read and discarded. An immediate close could prevent the client from
 * reading the response.
 */
const LINGER_MS = 2000

/** Connections whose further bytes are not parsed as requests. */
const unusableConnections = new WeakSet<Duplex>()

/** True if a connection got an error response for invalid bytes: later requests on it get no response. */
export function isUnusable(socket: Duplex): boolean {
  return unusableConnections.has(socket)
}

/**
 * Sends the error response for bytes that are not an HTTP request, for header fields that are too large, and for a
 * request that stayed incomplete.
 */
export function handleClientError(error: NodeJS.ErrnoException, socket: Duplex, context: ErrorResponseContext): void {
  if (unusableConnections.has(socket) && error.code !== 'ECONNRESET') return // Node reports this for every further chunk.
  unusableConnections.add(socket)
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const message = MESSAGES[error.code ?? ''] ?? 'This is not a valid HTTP/1.1 request.'
  sendErrorInOrder(socket, { code: 'malformed-request', message }, context)
}

/**
 * Sends the error after the responses to earlier requests; before, the client would mistake it for one of them. Sends
 * no second response to a request that already has one, such as a request without a key.
 */
function sendErrorInOrder(socket: Duplex, apiError: ApiError, context: ErrorResponseContext): void {
  const response = currentResponse(socket)
  if (!socket.writable) return
  const isAnswered = response === undefined ? isReceivingBody(socket) : response.headersSent && !response.req.complete
  if (isAnswered) {
    if (response === undefined) endSoon(socket)
    else response.once('close', () => endSoon(socket))
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
  endSoon(socket, `HTTP/1.1 ${status} ${getReasonPhrase(status)}\r\n${head.join('')}\r\n${body}`)
}

function endSoon(socket: Duplex, last = ''): void {
  socket.end(last)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
