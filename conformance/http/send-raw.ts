import { connect as connectPlain } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { Exchange, RequestSpec } from './exchange.ts'
import { buildExchange, type RawResponse } from './build-exchange.ts'
import { startDeadline, watchDeadlines } from './deadline.ts'
import { type NetworkError, convertToNetworkError } from './network-error.ts'
import { openTunnel } from './proxy-tunnel.ts'
import {
  resolveDeadlines,
  interruptedError,
  startClock,
  createTimeoutError,
  createTooLargeError,
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
    const failed = { status: 0, headers: {}, arrivals: [], totalMs: elapsedMs(), error: convertToNetworkError(error) }
    return buildExchange(request, startedAtMs, failed, options.maxBodyBytes)
  }
  return new Promise((resolve) => {
    const received: Buffer[] = []
    let size = 0
    let firstAtMs = 0
    let isSettled = false
    let endWaiting = (): void => undefined
    const isHead = spec.method === 'HEAD'
    const settle = (isClosed: boolean, error?: NetworkError): void => {
      if (isSettled) {
        return
      }
      isSettled = true
      deadlines.cancel()
      endWaiting()
      options.signal.removeEventListener('abort', interrupt)
      socket.destroy()
      const end = { isClosed, isHead, firstAtMs, totalMs: elapsedMs(), error }
      const response = responseOf(Buffer.concat(received), end)
      resolve(buildExchange(request, startedAtMs, response, options.maxBodyBytes))
    }
    const interrupt = (): void => settle(false, interruptedError)
    const deadlines = watchDeadlines(resolveDeadlines(options), (passed) =>
      settle(false, createTimeoutError(passed, size > 0)),
    )
    options.signal.addEventListener('abort', interrupt)
    socket.on('error', (error) => settle(true, convertToNetworkError(error)))
    socket.on('close', () => settle(true))
    socket.on('data', (data: Buffer) => {
      deadlines.recordActivity()
      firstAtMs ||= elapsedMs()
      size += data.byteLength
      received.push(data)
      if (size > options.maxBodyBytes) {
        settle(false, createTooLargeError(options.maxBodyBytes))
      } else if (!isComplete(Buffer.concat(received), isHead)) {
        return
      } else if (isHead) {
        endWaiting()
        endWaiting = startDeadline(HEAD_BODY_WAIT_MS, () => settle(true))
      } else {
        settle(false)
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

function isComplete(bytes: Buffer, isHead: boolean): boolean {
  const head = readHead(bytes)
  return head === 'malformed' || (head !== undefined && (isHead || readBody(bytes, head, false).isWhole))
}

/** How the client stopped reading a response. */
interface ReadEnd {
  /** Whether the connection has ended. */
  readonly isClosed: boolean
  readonly isHead: boolean
  readonly firstAtMs: number
  readonly totalMs: number
  readonly error: NetworkError | undefined
}

function responseOf(bytes: Buffer, { isClosed, isHead, error, ...times }: ReadEnd): RawResponse {
  const head = readHead(bytes)
  if (head === undefined || head === 'malformed') {
    const noResponse: NetworkError = { kind: 'closed-early', message: 'the connection closed without a response' }
    const notHttp: NetworkError = { kind: 'malformed', message: 'the response is not HTTP' }
    const cause = error ?? (bytes.byteLength === 0 ? noResponse : notHttp)
    return { status: 0, headers: {}, arrivals: [], totalMs: times.totalMs, error: cause }
  }
  const rest = { body: bytes.subarray(head.bodyStart), isWhole: true }
  const { body, isWhole } = isHead ? rest : readBody(bytes, head, isClosed)
  const cut: NetworkError = { kind: 'closed-early', message: 'the response was truncated' }
  // Ignores an error after a complete response, because a server that did not read the whole request may reset the
  // connection.
  const cause = isWhole ? undefined : (error ?? cut)
  return {
    status: head.status,
    headers: head.headers,
    arrivals: body.byteLength === 0 ? [] : [{ bytes: body, atMs: times.firstAtMs }],
    totalMs: times.totalMs,
    ...(cause === undefined ? {} : { error: cause }),
  }
}

interface RawHead {
  readonly status: number
  /** Header fields by lower-case name. Values of repeated fields are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** Offset of the body in the response, in bytes. */
  readonly bodyStart: number
}

/**
 * Parses the status line and header section of an HTTP/1 response. Skips interim responses. Returns undefined if the
 * header section is incomplete, and `malformed` if it is invalid.
 */
function readHead(bytes: Buffer, from = 0): RawHead | 'malformed' | undefined {
  const end = bytes.indexOf('\r\n\r\n', from, 'latin1')
  const probe = bytes.subarray(from, from + 5).toString('latin1')
  if (!'HTTP/'.startsWith(probe.slice(0, 5))) {
    return 'malformed'
  }
  if (end === -1) {
    return undefined
  }
  const [statusLine = '', ...lines] = bytes.subarray(from, end).toString('latin1').split('\r\n')
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1]
  if (status === undefined) {
    return 'malformed'
  }
  if (status.startsWith('1') && status !== '101') {
    return readHead(bytes, end + 4)
  }
  return { status: Number(status), headers: readFields(lines), bodyStart: end + 4 }
}

function readFields(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    if (colon > 0) {
      headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
    }
  }
  return headers
}

/**
 * Extracts the body. `isWhole` is false while bytes are missing. A body without a stated length is whole when the
 * connection has ended.
 * @param isClosed whether the connection has ended
 */
function readBody(bytes: Buffer, head: RawHead, isClosed: boolean): { body: Buffer; isWhole: boolean } {
  const rest = bytes.subarray(head.bodyStart)
  if (head.status === 204 || head.status === 304 || head.status === 101) {
    return { body: Buffer.alloc(0), isWhole: true }
  }
  if (/\bchunked\b/i.test(head.headers['transfer-encoding'] ?? '')) {
    return readChunks(rest)
  }
  const length = Number(head.headers['content-length'] ?? Number.NaN)
  if (Number.isInteger(length)) {
    return { body: rest.subarray(0, length), isWhole: rest.byteLength >= length }
  }
  return { body: rest, isWhole: isClosed }
}

function readChunks(bytes: Buffer): { body: Buffer; isWhole: boolean } {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1')
    const size = lineEnd === -1 ? Number.NaN : Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    const end = lineEnd + 2 + size
    if (Number.isNaN(size) || end + 2 > bytes.byteLength) {
      return { body: Buffer.concat(chunks), isWhole: false }
    }
    if (size === 0) {
      return { body: Buffer.concat(chunks), isWhole: true }
    }
    chunks.push(bytes.subarray(lineEnd + 2, end))
    at = end + 2
  }
}
