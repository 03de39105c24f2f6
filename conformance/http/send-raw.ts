import { connect as connectPlain } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { Exchange, RequestSpec } from './exchange.ts'
import { buildDecodedExchange, buildExchange } from './build-exchange.ts'
import { startDeadline, watchDeadlines } from './deadline.ts'
import { type NetworkError, convertToNetworkError } from './network-error.ts'
import { openTunnel } from './proxy-tunnel.ts'
import { RawResponseParser } from './raw-response.ts'
import { joinPieces } from './received-body.ts'
import { BodyReservation } from './response-memory.ts'
import {
  resolveDeadlines,
  interruptedError,
  startClock,
  createTimeoutError,
  noMemoryError,
  type HttpOptions,
} from './http-options.ts'
import { TLS_PROTOCOL } from './tls-protocol.ts'

/** Time after the header section of a response to HEAD in which a body may arrive, in milliseconds. */
const HEAD_BODY_WAIT_MS = 300

/**
 * Writes raw bytes to the target and reads one response, for requests that HTTP clients cannot send. `spec` describes
 * the bytes in the evidence. A response to HEAD ends with its header section. If bytes follow, they are its `body`.
 */
export async function sendRaw(bytes: Uint8Array, spec: RequestSpec, options: HttpOptions): Promise<Exchange> {
  const startedAtMs = options.nowMs()
  const elapsedMs = startClock()
  const request = { ...spec, url: options.baseUrl + spec.path }
  let socket: Duplex
  try {
    socket = await openSocket(options)
  } catch (error) {
    const failed = {
      status: 0,
      headers: {},
      body: joinPieces([]),
      totalMs: elapsedMs(),
      error: convertToNetworkError(error),
    }
    return buildExchange(request, startedAtMs, failed)
  }
  return new Promise((resolve) => {
    const isHead = spec.method === 'HEAD'
    const parser = new RawResponseParser(isHead, options)
    const reservation = new BodyReservation(options.memory)
    let hasBytes = false
    let isSettled = false
    let endWaiting = (): void => undefined
    const settle = (isClosed: boolean, error?: NetworkError): void => {
      if (isSettled) {
        return
      }
      isSettled = true
      deadlines.cancel()
      endWaiting()
      options.signal.removeEventListener('abort', interrupt)
      socket.destroy()
      reservation.end(parser.body.bytes)
      const cause = parser.error ?? findError(parser, { isClosed, hasBytes, error })
      const { status, headers } = parser
      const response = { status, headers, body: parser.body.take(), totalMs: elapsedMs() }
      resolve(
        buildDecodedExchange(
          request,
          startedAtMs,
          cause === undefined ? response : { ...response, error: cause },
          options,
        ),
      )
    }
    const interrupt = (): void => settle(false, interruptedError)
    const deadlines = watchDeadlines(resolveDeadlines(options), (passed) =>
      settle(false, createTimeoutError(passed, hasBytes)),
    )
    options.signal.addEventListener('abort', interrupt)
    socket.on('error', (error) => settle(true, convertToNetworkError(error)))
    socket.on('close', () => settle(true))
    socket.on('data', (data: Buffer) => {
      deadlines.recordActivity()
      hasBytes = true
      parser.push(data, elapsedMs())
      if (parser.error !== undefined || (parser.isComplete && !isHead)) {
        settle(false)
      } else if (parser.isComplete) {
        endWaiting()
        endWaiting = startDeadline(HEAD_BODY_WAIT_MS, () => settle(true))
      } else {
        reservation.grow(parser.body.bytes, socket, {
          onWait: () => deadlines.cancel(),
          onGrant: () => deadlines.restart(),
          onDeny: () => settle(false, noMemoryError),
        })
      }
    })
    socket.write(bytes)
    if (options.signal.aborted) {
      interrupt()
    }
  })
}

async function openSocket({ baseUrl, proxy, insecure, ca }: HttpOptions): Promise<Duplex> {
  const url = new URL(baseUrl)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isSecure = url.protocol === 'https:'
  const port = Number(url.port || (isSecure ? 443 : 80))
  const tunnel = proxy === undefined ? undefined : await openTunnel(proxy, host, port)
  if (!isSecure) {
    return tunnel ?? connectPlain({ host, port })
  }
  return connectTls({
    host,
    port,
    servername: host,
    rejectUnauthorized: !insecure,
    ...TLS_PROTOCOL,
    ...(ca === undefined ? {} : { ca }),
    ...(tunnel === undefined ? {} : { socket: tunnel }),
  })
}

/** How the client stopped reading a response. */
interface ReadEnd {
  /** Whether the connection has ended. */
  readonly isClosed: boolean
  readonly hasBytes: boolean
  readonly error: NetworkError | undefined
}

/** Returns the error of a response that is not complete. */
function findError(parser: RawResponseParser, { isClosed, hasBytes, error }: ReadEnd): NetworkError | undefined {
  // Ignores an error after a complete response, because a server that did not read the whole request may reset the
  // connection.
  if (isClosed ? parser.isCompleteAtEnd : parser.isComplete) return undefined
  if (error !== undefined) return error
  if (!hasBytes) return { kind: 'closed-early', message: 'the connection closed without a response' }
  if (parser.status === 0) return { kind: 'malformed', message: 'the response is not HTTP' }
  return { kind: 'closed-early', message: 'the response was truncated' }
}
