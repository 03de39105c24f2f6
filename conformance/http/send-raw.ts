import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Exchange, RequestSpec } from './exchange.ts'
import { buildExchange, type RawResponse } from './build-exchange.ts'
import { startDeadline } from './deadline.ts'
import { type NetworkError, toNetworkError } from './network-error.ts'
import { readBody, readHead } from './raw-response.ts'
import { interruptedError, startClock, timeoutError, tooLargeError, type HttpOptions } from './http-options.ts'

/**
 * Writes bytes to the target as they are, for requests that no HTTP client sends, and reads one response. `spec` describes
 * the bytes for the evidence.
 */
export function sendRaw(bytes: Uint8Array, spec: RequestSpec, options: HttpOptions): Promise<Exchange> {
  const startedAtMs = options.nowMs()
  const elapsedMs = startClock()
  return new Promise((resolve) => {
    const socket = open(options)
    const received: Buffer[] = []
    let size = 0
    let firstAtMs = 0
    let isSettled = false
    const settle = (isClosed: boolean, error?: NetworkError): void => {
      if (isSettled) {
        return
      }
      isSettled = true
      endWaiting()
      options.signal.removeEventListener('abort', interrupt)
      socket.destroy()
      const answer = answerOf(Buffer.concat(received), isClosed, { firstAtMs, totalMs: elapsedMs() }, error)
      resolve(buildExchange({ ...spec, url: options.baseUrl + spec.path }, startedAtMs, answer, options.byteLimit))
    }
    const interrupt = (): void => settle(false, interruptedError)
    const endWaiting = startDeadline(options.timeoutMs, () => settle(false, timeoutError(options.timeoutMs)))
    options.signal.addEventListener('abort', interrupt)
    socket.on('error', (error) => settle(true, toNetworkError(error)))
    socket.on('close', () => settle(true))
    socket.on('data', (data: Buffer) => {
      firstAtMs ||= elapsedMs()
      size += data.byteLength
      received.push(data)
      if (size > options.byteLimit) {
        settle(false, tooLargeError(options.byteLimit))
      } else if (isComplete(Buffer.concat(received))) {
        settle(false)
      }
    })
    socket.write(bytes)
    if (options.signal.aborted) {
      interrupt()
    }
  })
}

function open(options: HttpOptions): Socket {
  const url = new URL(options.baseUrl)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (url.protocol !== 'https:') {
    return connectPlain({ host, port: Number(url.port || 80) })
  }
  return connectTls({
    host,
    port: Number(url.port || 443),
    servername: host,
    rejectUnauthorized: !options.insecure,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  })
}

function isComplete(bytes: Buffer): boolean {
  const head = readHead(bytes)
  return head === 'malformed' || (head !== undefined && readBody(bytes, head, false).isWhole)
}

function answerOf(
  bytes: Buffer,
  isClosed: boolean,
  times: { readonly firstAtMs: number; readonly totalMs: number },
  error: NetworkError | undefined,
): RawResponse {
  const head = readHead(bytes)
  if (head === undefined || head === 'malformed') {
    const noResponse: NetworkError = { kind: 'closed-early', message: 'the connection closed without an answer' }
    const notHttp: NetworkError = { kind: 'malformed', message: 'the answer is not HTTP' }
    const cause = error ?? (bytes.byteLength === 0 ? noResponse : notHttp)
    return { status: 0, headers: {}, arrivals: [], totalMs: times.totalMs, error: cause }
  }
  const { body, isWhole } = readBody(bytes, head, isClosed)
  const cut: NetworkError = { kind: 'closed-early', message: 'the answer was cut off' }
  // A reset after the whole answer is how servers shed a request that they did not read to its end.
  const cause = isWhole ? undefined : (error ?? cut)
  return {
    status: head.status,
    headers: head.headers,
    arrivals: body.byteLength === 0 ? [] : [{ bytes: body, atMs: times.firstAtMs }],
    totalMs: times.totalMs,
    ...(cause === undefined ? {} : { error: cause }),
  }
}
