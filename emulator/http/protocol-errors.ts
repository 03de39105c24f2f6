import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ApiError } from '../core/api-errors.ts'
import { errorResponse, type ErrorResponseContext } from '../core/response.ts'
import { reasonPhrase } from './reason-phrase.ts'
import { currentResponse, isReceivingBody } from './node-internals.ts'

/**
 * Node answers some requests before any handler sees them, with statuses that are not in the document's table (408, 417,
 * 431, …), or not at all (CONNECT). Here each gets a status of the table (section 7).
 */
export function handleProtocolErrors(server: Server, manner: ErrorResponseContext): void {
  server.on('checkExpectation', (request, response) => {
    request.resume()
    const message = 'The Expect header asks for something else than 100-continue.'
    const { status, headers, body } = errorResponse({ code: 'malformed-request', message }, manner)
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  })
  server.on('checkContinue', (request, response) => {
    // To one that has to wait for its turn Node would write it between the head and the body of its answer, where that is binary.
    if (response.socket !== null) response.writeContinue()
    server.emit('request', request, response)
  })
  server.on('connect', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy()).resume() // Node has let go of it
    refuseInTurn(socket, { code: 'unknown-endpoint', message: 'CONNECT is not served here.' }, manner)
  })
}

/** What comes after a refusal is read and let go for so long: to close at once could take the refusal from the client. */
const LINGER_MS = 2000

/** Connections whose bytes are no requests any more. */
const spoiled = new WeakSet<Duplex>()

/** Whether a connection was refused for what came by it: nobody gets the answer to what comes now. */
export function isUnusable(socket: Duplex): boolean {
  return spoiled.has(socket)
}

/** Answers bytes that are no HTTP request, one with too large header fields, or one that never became whole. */
export function handleClientError(error: NodeJS.ErrnoException, socket: Duplex, manner: ErrorResponseContext): void {
  if (spoiled.has(socket) && error.code !== 'ECONNRESET') return // Node tells of every piece that comes
  spoiled.add(socket)
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const message = MESSAGES[error.code ?? ''] ?? 'This is not a valid HTTP/1.1 request.'
  refuseInTurn(socket, { code: 'malformed-request', message }, manner)
}

/**
 * Refuses after the answers to earlier requests: before, it would be taken for one of them, or for a part of it. A request that
 * has its answer already, as no key came with it, gets no second one.
 */
function refuseInTurn(socket: Duplex, refusal: ApiError, manner: ErrorResponseContext): void {
  const response = currentResponse(socket)
  if (!socket.writable) return
  const isAnswered = response === undefined ? isReceivingBody(socket) : response.headersSent && !response.req.complete
  if (isAnswered) {
    if (response === undefined) endSoon(socket)
    else response.once('close', () => endSoon(socket))
  } else if (response?.req.complete === true) response.once('close', () => refuseInTurn(socket, refusal, manner))
  else writeRefusal(socket, refusal, manner)
}

const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request header fields are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

function writeRefusal(socket: Duplex, refusal: ApiError, manner: ErrorResponseContext): void {
  const { status, headers, body } = errorResponse(refusal, manner)
  const fields = { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  endSoon(socket, `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n${head.join('')}\r\n${body}`)
}

function endSoon(socket: Duplex, last = ''): void {
  socket.end(last)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
