import { type Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Exchange, RequestSpec } from './exchange.ts'
import { buildDecodedExchange } from './build-exchange.ts'
import { startDeadline, watchDeadlines, CONNECT_TIMEOUT_MS, type DeadlineWatch } from './deadline.ts'
import { type NetworkError, convertToNetworkError } from './network-error.ts'
import { MAX_INTERIM_RESPONSES } from '../../common/limit-interim-responses.ts'
import { createTunnelAgent, TLS_PROTOCOL } from './proxy-tunnel.ts'
import { ReceivedBody } from './received-body.ts'
import { BodyReservation } from './response-memory.ts'
import { SseReader } from './sse-reader.ts'
import {
  connectTimeoutError,
  resolveDeadlines,
  interruptedError,
  startClock,
  createTimeoutError,
  createTooLargeError,
  noMemoryError,
  tooManyInterimError,
  type HttpOptions,
} from './http-options.ts'

/** Time in which a target receives a request before the client aborts it, in milliseconds. */
const ABORT_DELAY_MS = 20

/** Time after the header section of a response to HEAD in which a body may arrive, in milliseconds. */
const HEAD_BODY_WAIT_MS = 300

const cutOff: NetworkError = { kind: 'closed-early', message: 'the response was truncated' }

/** State of a response that is being received. */
interface Progress {
  response?: IncomingMessage
  readonly body: ReceivedBody
  interim: number
  wasAborted?: true
}

/** Sends a request on a new connection by default. Follows no redirects. If the target fails, there is an `error`. */
export function sendRequest(spec: RequestSpec, options: HttpOptions): Promise<Exchange> {
  return spec.method === 'HEAD' ? sendRaw(buildHead(spec, options), spec, options) : send(spec, options)
}

/** Sends raw bytes, for requests that Node cannot send. `spec` describes the bytes in the evidence. */
export function sendRaw(bytes: Uint8Array, spec: RequestSpec, options: HttpOptions): Promise<Exchange> {
  return send(spec, options, bytes)
}

/** Builds a HEAD request as raw bytes, because Node would ignore a body of the response (RFC 9110, section 9.3.2). */
function buildHead({ path, headers }: RequestSpec, { baseUrl }: HttpOptions): Uint8Array {
  const { host, pathname, search } = new URL(baseUrl + path)
  const fields = Object.entries({ host, ...headers, connection: 'close' })
  const lines = [`HEAD ${pathname}${search} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

function send(spec: RequestSpec, options: HttpOptions, raw?: Uint8Array): Promise<Exchange> {
  const url = options.baseUrl + spec.path
  const startedAtMs = options.nowMs()
  const elapsedMs = startClock()
  return new Promise((resolve) => {
    // For raw bytes, Node only opens the connection and parses the response. It reads no body after HEAD.
    const outgoing =
      raw === undefined
        ? openRequest(url, spec, options)
        : openRequest(options.baseUrl, { method: 'GET', headers: {} }, options)
    const progress: Progress = { body: new ReceivedBody(options.maxBodyBytes), interim: 0 }
    const reservation = new BodyReservation(options.memory)
    let isSettled = false
    const settle = (error?: NetworkError): void => {
      if (isSettled) return
      isSettled = true
      deadlines.cancel()
      options.signal.removeEventListener('abort', interrupt)
      // After a complete response, this leaves a keep-alive connection open for the next request.
      outgoing.destroy()
      reservation.end(progress.body.bytes)
      const response = {
        status: progress.response?.statusCode ?? 0,
        headers: headersOf(progress.response),
        body: progress.body.take(),
        totalMs: elapsedMs(),
        error,
        reusedConnection: outgoing.reusedSocket ? (true as const) : undefined,
        wasAborted: progress.wasAborted,
      }
      resolve(buildDecodedExchange({ ...spec, url }, startedAtMs, response, options))
    }
    const interrupt = (): void => settle(interruptedError)
    const deadlines = watchDeadlines(resolveDeadlines(options), (passed) =>
      settle(createTimeoutError(passed, progress.response !== undefined)),
    )
    options.signal.addEventListener('abort', interrupt)
    limitConnectTime(outgoing, url, settle)
    const isHead = spec.method === 'HEAD'
    collect(outgoing, progress, { settle, deadlines, reservation, elapsedMs, options, isHead })
    if (raw !== undefined) outgoing.once('socket', (socket) => socket.write(raw))
    else if (options.sendsHalfBody === true)
      outgoing.write(Buffer.from(spec.body ?? []).subarray(0, (spec.body?.length ?? 0) / 2))
    else outgoing.end(spec.body)
    if (options.signal.aborted) interrupt()
  })
}

type RequestHead = Pick<RequestSpec, 'method' | 'headers' | 'body'>

function openRequest(url: string, spec: RequestHead, options: HttpOptions): ClientRequest {
  const common = {
    method: spec.method,
    headers: { ...spec.headers, ...lengthOf(spec) },
    agent: agentFor(url, options),
    maxHeaderSize: options.maxHeaderBytes,
  }
  if (!url.startsWith('https:')) return requestHttp(url, common)
  return requestHttps(url, {
    ...common,
    rejectUnauthorized: !options.insecure,
    ...TLS_PROTOCOL,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  })
}

function agentFor(url: string, { connection, proxy }: HttpOptions): Agent | false {
  if (connection !== undefined) return connection.agentFor(url, proxy)
  return proxy === undefined ? false : createTunnelAgent(url, proxy, { keepAlive: false })
}

/** Fails the request if connecting takes too long, to distinguish a host that drops packets from a slow one. */
function limitConnectTime(outgoing: ClientRequest, url: string, settle: (error: NetworkError) => void): void {
  let isConnected = false
  const endWaiting = startDeadline(CONNECT_TIMEOUT_MS, () => (isConnected ? undefined : settle(connectTimeoutError)))
  const connected = (): void => {
    isConnected = true
    endWaiting()
  }
  outgoing.once('close', endWaiting)
  outgoing.once('socket', (socket) => {
    const isSecure = url.startsWith('https:')
    // A tunnel through a proxy is already connected when the request receives its socket.
    if (outgoing.reusedSocket || (!isSecure && !socket.connecting)) connected()
    socket.once(isSecure ? 'secureConnect' : 'connect', connected)
  })
}

/** Returns Content-Length, unless the body is chunked. Node would send a POST without a body as chunks. */
function lengthOf(spec: RequestHead): Record<string, string> {
  if (spec.headers['transfer-encoding'] !== undefined || (spec.body === undefined && spec.method !== 'POST')) return {}
  return { 'content-length': String(spec.body?.byteLength ?? 0) }
}

interface Collector {
  readonly deadlines: DeadlineWatch
  readonly reservation: BodyReservation
  settle(error?: NetworkError): void
  elapsedMs(): number
  readonly options: Pick<HttpOptions, 'maxBodyBytes' | 'abortWhen'>
  readonly isHead: boolean
}

function collect(outgoing: ClientRequest, progress: Progress, collector: Collector): void {
  const { deadlines } = collector
  const { maxBodyBytes, abortWhen } = collector.options
  const memoryWait = {
    onWait: () => deadlines.cancel(),
    onGrant: () => deadlines.restart(),
    onDeny: () => collector.settle(noMemoryError),
  }
  const reader = new SseReader()
  const abortIfDue = (): void => {
    if (abortWhen?.(reader.events) !== true) return
    progress.wasAborted = true
    collector.settle()
  }
  if (abortWhen !== undefined) outgoing.on('finish', () => setTimeout(abortIfDue, ABORT_DELAY_MS))
  // The body of a response to HEAD ends as soon as it is not what the header section announces.
  const fail = (error: NetworkError): void =>
    collector.settle(collector.isHead && progress.response !== undefined ? undefined : error)
  outgoing.on('error', (error) => fail(convertToNetworkError(error)))
  outgoing.on('close', () => {
    // After the response has started, its own events settle the request, because this one may come before its end.
    if (progress.response === undefined) {
      collector.settle({ kind: 'closed-early', message: 'the connection closed without a response' })
    }
  })
  outgoing.on('upgrade', (response, socket) => {
    progress.response = response
    socket.destroy()
    collector.settle()
  })
  outgoing.on('information', () => {
    progress.interim += 1
    if (progress.interim > MAX_INTERIM_RESPONSES) collector.settle(tooManyInterimError)
  })
  outgoing.on('response', (response) => {
    progress.response = response
    deadlines.recordActivity()
    const end = (): void => collector.settle()
    if (collector.isHead) response.once('close', startDeadline(HEAD_BODY_WAIT_MS, end))
    response.on('data', (bytes: Buffer) => {
      deadlines.recordActivity()
      if (progress.body.bytes + bytes.byteLength > maxBodyBytes) {
        collector.settle(createTooLargeError(maxBodyBytes))
        return
      }
      const atMs = collector.elapsedMs()
      progress.body.append(bytes, atMs)
      collector.reservation.grow(progress.body.bytes, response, memoryWait)
      if (abortWhen === undefined) return
      reader.push(bytes, atMs)
      abortIfDue()
    })
    response.on('end', end)
    response.on('close', () => fail(cutOff))
    response.on('error', (error) => {
      const cause = convertToNetworkError(error)
      fail(cause.kind === 'reset' ? cutOff : cause)
    })
  })
}

function headersOf(response: IncomingMessage | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, values] of Object.entries(response?.headersDistinct ?? {})) {
    headers[name] = (values ?? []).join(', ')
  }
  return headers
}
