import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { STATUSES } from '../../contract/facts.ts'
import type { Refusal } from '../refusals.ts'
import { respondRefusal, type Manner } from '../stages/respond.ts'

/**
 * Node answers some requests before any handler sees them, with statuses that are not in the document's table (408, 417,
 * 431, …), or not at all (CONNECT). Here each gets a status of the table (section 7).
 */
export function answerProtocolFaults(server: Server, manner: Manner): void {
  server.on('checkExpectation', (request, response) => {
    request.resume()
    const message = 'The Expect header asks for something else than 100-continue.'
    const { status, headers, body } = respondRefusal({ refused: 'malformed-request', message }, manner)
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  })
  server.on('connect', (_request, socket: Duplex) => {
    writeRefusal(socket, { refused: 'unknown-endpoint', message: 'CONNECT is not served here.' }, manner)
  })
}

/** Answers bytes that are no HTTP request, one with too large header fields, or one that never became whole. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, manner: Manner): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const message = MESSAGES[error.code ?? ''] ?? 'This is not a valid HTTP/1.1 request.'
  writeRefusal(socket, { refused: 'malformed-request', message }, manner)
}

const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request header fields are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

function writeRefusal(socket: Duplex, refusal: Refusal, manner: Manner): void {
  const { status, headers, body } = respondRefusal(refusal, manner)
  const fields = { ...headers, connection: 'close', 'content-length': Buffer.byteLength(body) }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  // Not from node:http: importing its values loads Node's own HTTP client, a tenth of the time to start.
  const reason = STATUSES.find(({ code }) => code === status)?.meaning ?? ''
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${head.join('')}\r\n${body}`)
}
