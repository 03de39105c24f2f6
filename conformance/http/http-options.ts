import type { PassedDeadline, RequestDeadlines } from './deadline.ts'
import type { NetworkError } from './network-error.ts'
import type { KeptConnection } from './kept-connection.ts'

/** Options of the HTTP client. */
export interface HttpOptions {
  /** Base address without `/v1` and trailing slash. */
  readonly baseUrl: string
  /** Deadline in milliseconds, from sending to the last byte of the response. */
  readonly timeoutMs: number
  /** Deadline in milliseconds for the next byte; may change while the request is under way. Default: `timeoutMs`. */
  silenceMs?(): number
  /** Maximum bytes of a body, both encoded and decoded. */
  readonly byteLimit: number
  /** Maximum bytes of the header section of a response. */
  readonly headerLimit: number
  /** Trusted CA certificates in PEM, instead of those of the system. */
  readonly ca?: string
  /** True accepts any certificate. */
  readonly insecure: boolean
  /** Aborts all requests in flight. */
  readonly signal: AbortSignal
  /** Milliseconds since the run started. */
  nowMs(): number
  /** A connection to share with other requests. Default: a new one. */
  readonly connection?: KeptConnection
  /** Closes the connection, without an error, after this number of stream events. */
  readonly leaveAfterEvents?: number
}

/** 8 MiB: more than any valid response to a request of the suite. */
export const BYTE_LIMIT = 8 * 1024 * 1024
/** 64 KiB: four times the limit of common servers. */
export const HEADER_LIMIT = 64 * 1024

/** Deadline for connecting: far more than a round trip around the world, with TLS. */
export const CONNECT_TIMEOUT_MS = 4000

export const connectTimeoutError: NetworkError = {
  kind: 'timeout',
  message: `no connection within ${CONNECT_TIMEOUT_MS / 1000} s`,
}

/** Aborts the requests in flight when a run is aborted. */
export const interruptedError: NetworkError = { kind: 'interrupted', message: 'the run ended before the response' }

export function timeoutError({ ms, isSilence }: PassedDeadline, hasStarted: boolean): NetworkError {
  const problem = isSilence && hasStarted ? 'no more data of the response' : 'no complete response'
  return { kind: 'timeout', message: `${problem} within ${ms / 1000} s` }
}

/** The deadlines of a request with these options. */
export function resolveDeadlines(options: HttpOptions): RequestDeadlines {
  return { totalMs: options.timeoutMs, silenceMs: () => options.silenceMs?.() ?? options.timeoutMs }
}

export function createTooLargeError(byteLimit: number): NetworkError {
  return { kind: 'too-large', message: `the body is larger than ${byteLimit / 1024} KiB` }
}

/** A clock that starts now, in milliseconds. */
export function startClock(): () => number {
  const start = performance.now()
  return () => performance.now() - start
}
