import { STATUS_CODES, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RefusalReason } from '../refusals.ts'
import { respondRefusal } from '../stages/respond.ts'

/**
 * Node answers some requests before any handler sees them, with statuses that are not in the document's table (408, 417,
 * 431, …), or not at all (CONNECT). Here each gets a status of the table (section 7).
 */
export function answerProtocolFaults(server: Server): void {
  server.on('checkExpectation', (request, response) => {
    request.resume()
    const { status, headers, body } = respondRefusal({
      refused: 'malformed-request',
      message: 'The Expect header asks for something else than 100-continue.',
    })
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  })
  server.on('connect', (_request, socket: Duplex) => {
    writeRefusal(socket, 'unknown-endpoint', 'CONNECT is not served here.')
  })
}

/** Answers bytes that are no HTTP request, one with too large header fields, or one that never became whole. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  writeRefusal(socket, 'malformed-request', MESSAGES[error.code ?? ''] ?? 'This is not a valid HTTP/1.1 request.')
}

const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request header fields are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

function writeRefusal(socket: Duplex, refused: RefusalReason, message: string): void {
  const { status, headers, body } = respondRefusal({ refused, message })
  const fields = { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`)
}
