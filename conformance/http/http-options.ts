import type { ExpiredDeadline, RequestDeadlines } from './deadline.ts'
import type { NetworkError } from './network-error.ts'
import type { KeepAliveConnection } from './keep-alive-connection.ts'

/** Options of the HTTP client. */
export interface HttpOptions {
  /** Base URL without `/v1` and without a trailing slash. */
  readonly baseUrl: string
  /** Deadline from the start of the request to the last byte of the response, in milliseconds. */
  readonly timeoutMs: number
  /**
   * Returns the deadline for the next byte, in milliseconds. The value can change while the request is in progress.
   * Default: `timeoutMs`.
   */
  idleTimeoutMs?(): number
  /** Upper bound of a body in bytes, both compressed and decompressed. */
  readonly maxBodyBytes: number
  /** Upper bound of the header section of a response, in bytes. */
  readonly maxHeaderBytes: number
  /** Trusted CA certificates in PEM format. Default: those of the system. */
  readonly ca?: string
  /** If true, accepts any certificate. */
  readonly insecure: boolean
  /** Address of the proxy for all requests, with its credentials. Default: a direct connection. */
  readonly proxy?: string
  /** Aborts all requests in progress. */
  readonly signal: AbortSignal
  /** Returns the milliseconds since the start of the run. */
  nowMs(): number
  /** Keep-alive connection for the request. Default: a new connection. */
  readonly connection?: KeepAliveConnection
  /** Closes the connection, without an error, after this number of stream events. */
  readonly abortAfterEvents?: number
}

/** Default upper bound of a body: 8 MiB, which is more than any valid response to a request of the suite. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024
/** Default upper bound of a header section: 64 KiB, which is four times the limit of common servers. */
export const MAX_HEADER_BYTES = 64 * 1024

/**
 * Deadline for a TCP and TLS connection, in milliseconds. It exceeds the round trips of a connection around the world.
 */
export const CONNECT_TIMEOUT_MS = 4000

export const connectTimeoutError: NetworkError = {
  kind: 'timeout',
  message: `no connection within ${CONNECT_TIMEOUT_MS / 1000} s`,
}

/** Error of the requests that were in progress when the run was aborted. */
export const interruptedError: NetworkError = { kind: 'interrupted', message: 'the run ended before the response' }

export function createTimeoutError({ ms, isIdle: isSilence }: ExpiredDeadline, hasStarted: boolean): NetworkError {
  const problem = isSilence && hasStarted ? 'no more data of the response' : 'no complete response'
  return { kind: 'timeout', message: `${problem} within ${ms / 1000} s` }
}

/** Returns the deadlines of a request with these options. */
export function resolveDeadlines(options: HttpOptions): RequestDeadlines {
  return { totalMs: options.timeoutMs, idleMs: () => options.idleTimeoutMs?.() ?? options.timeoutMs }
}

export function createTooLargeError(maxBodyBytes: number): NetworkError {
  return { kind: 'too-large', message: `the body is larger than ${maxBodyBytes / 1024} KiB` }
}

/** Returns a function that returns the milliseconds since this call. */
export function startClock(): () => number {
  const start = performance.now()
  return () => performance.now() - start
}
