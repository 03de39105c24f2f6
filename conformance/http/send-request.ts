import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Exchange, RequestSpec } from './exchange.ts'
import { type TimedBytes, buildExchange } from './build-exchange.ts'
import { startDeadline, watchDeadlines } from './deadline.ts'
import { type NetworkError, toNetworkError } from './network-error.ts'
import { SseReader } from './sse-reader.ts'
import {
  CONNECT_TIMEOUT_MS,
  connectTimeoutError,
  resolveDeadlines,
  interruptedError,
  startClock,
  timeoutError,
  createTooLargeError,
  type HttpOptions,
} from './http-options.ts'

const cutOff: NetworkError = { kind: 'closed-early', message: 'the response was truncated' }

/** The part of the response received so far. */
interface Progress {
  response?: IncomingMessage
  readonly arrivals: TimedBytes[]
  bytes: number
  leftEarly?: true
}

/**
 * Sends one request, on a new connection unless another is given, and collects the response. Does not follow redirects.
 * Reports a failure of the target in `error` and keeps what arrived before it.
 */
export function sendRequest(spec: RequestSpec, options: HttpOptions): Promise<Exchange> {
  const url = options.baseUrl + spec.path
  const startedAtMs = options.nowMs()
  const elapsedMs = startClock()
  return new Promise((resolve) => {
    const outgoing = open(url, spec, options)
    const progress: Progress = { arrivals: [], bytes: 0 }
    let isSettled = false
    const settle = (error?: NetworkError): void => {
      if (isSettled) {
        return
      }
      isSettled = true
      deadlines.cancel()
      options.signal.removeEventListener('abort', interrupt)
      // After a complete response, a keep-alive connection no longer belongs to this request and stays open.
      outgoing.destroy()
      const response = {
        status: progress.response?.statusCode ?? 0,
        headers: headersOf(progress.response),
        arrivals: progress.arrivals,
        totalMs: elapsedMs(),
        ...(error === undefined ? {} : { error }),
        ...(outgoing.reusedSocket ? { reusedConnection: true as const } : {}),
        ...(progress.leftEarly ? { leftEarly: true as const } : {}),
      }
      resolve(buildExchange({ ...spec, url }, startedAtMs, response, options.byteLimit))
    }
    const interrupt = (): void => settle(interruptedError)
    const deadlines = watchDeadlines(resolveDeadlines(options), (passed) =>
      settle(timeoutError(passed, progress.response !== undefined)),
    )
    options.signal.addEventListener('abort', interrupt)
    boundConnecting(outgoing, url, settle)
    collect(outgoing, progress, { settle, heard: () => deadlines.heard(), elapsedMs, options })
    outgoing.end(spec.body)
    if (options.signal.aborted) {
      interrupt()
    }
  })
}

function open(url: string, spec: RequestSpec, options: HttpOptions): ClientRequest {
  const common = {
    method: spec.method,
    headers: { ...spec.headers, ...lengthOf(spec) },
    agent: options.connection?.agentFor(url) ?? false,
    maxHeaderSize: options.headerLimit,
  }
  if (!url.startsWith('https:')) {
    return requestHttp(url, common)
  }
  return requestHttps(url, {
    ...common,
    rejectUnauthorized: !options.insecure,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  })
}

/**
 * Ends the request if no connection is established in time. The address then drops packets; the service itself is not
 * slow.
 */
function boundConnecting(outgoing: ClientRequest, url: string, settle: (error: NetworkError) => void): void {
  let isConnected = false
  const endWaiting = startDeadline(CONNECT_TIMEOUT_MS, () => (isConnected ? undefined : settle(connectTimeoutError)))
  const connected = (): void => {
    isConnected = true
    endWaiting()
  }
  outgoing.once('close', endWaiting)
  outgoing.once('socket', (socket) => {
    if (outgoing.reusedSocket) {
      connected()
    }
    socket.once(url.startsWith('https:') ? 'secureConnect' : 'connect', connected)
  })
}

/** A POST without a body sends `content-length: 0` rather than an empty chunked body. */
function lengthOf(spec: RequestSpec): Record<string, string> {
  if (spec.body === undefined && spec.method !== 'POST') {
    return {}
  }
  return { 'content-length': String(spec.body?.byteLength ?? 0) }
}

interface Collector {
  /** Called when something of the response arrives. */
  heard(): void
  settle(error?: NetworkError): void
  elapsedMs(): number
  readonly options: Pick<HttpOptions, 'byteLimit' | 'leaveAfterEvents'>
}

function collect(outgoing: ClientRequest, progress: Progress, collector: Collector): void {
  const { byteLimit, leaveAfterEvents } = collector.options
  const events = leaveAfterEvents === undefined ? undefined : new SseReader()
  outgoing.on('error', (error) => collector.settle(toNetworkError(error)))
  outgoing.on('close', () => {
    // Once a response has begun, its own end settles the request; this event comes earlier.
    if (progress.response === undefined) {
      collector.settle({ kind: 'closed-early', message: 'the connection closed without a response' })
    }
  })
  outgoing.on('upgrade', (response, socket) => {
    progress.response = response
    socket.destroy()
    collector.settle()
  })
  outgoing.on('response', (response) => {
    progress.response = response
    collector.heard()
    response.on('data', (bytes: Buffer) => {
      collector.heard()
      progress.bytes += bytes.byteLength
      if (progress.bytes > byteLimit) {
        collector.settle(createTooLargeError(byteLimit))
        return
      }
      const atMs = collector.elapsedMs()
      progress.arrivals.push({ bytes, atMs })
      events?.push(bytes, atMs)
      if (events !== undefined && events.events.length >= (leaveAfterEvents ?? 0)) {
        progress.leftEarly = true
        collector.settle()
      }
    })
    response.on('end', () => collector.settle())
    response.on('close', () => collector.settle(cutOff))
    response.on('error', (error) => {
      const cause = toNetworkError(error)
      collector.settle(cause.kind === 'reset' ? cutOff : cause)
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
