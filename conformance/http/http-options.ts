import { CONNECT_TIMEOUT_MS, type ExpiredDeadline, type RequestDeadlines } from './deadline.ts'
import type { StreamEvent } from './exchange.ts'
import type { NetworkError } from './network-error.ts'
import type { KeepAliveConnection } from './keep-alive-connection.ts'
import { MAX_INTERIM_RESPONSES } from '../../common/limit-interim-responses.ts'
import { MAX_RESERVED_BYTES } from './memory-limits.ts'
import type { MemoryHolder } from './response-memory.ts'

export interface HttpOptions {
  /** Base URL without `/v1` and without a trailing slash. */
  readonly baseUrl: string
  /** Maximum time from the start of the request to the last byte of the response, in milliseconds. */
  readonly timeoutMs: number
  /** Returns the maximum time until the next byte, in milliseconds, which may change. Default: `timeoutMs`. */
  idleTimeoutMs?(): number
  /** Maximum size of a body in bytes, both compressed and decompressed. */
  readonly maxBodyBytes: number
  /** Maximum size of a response's header section, in bytes. */
  readonly maxHeaderBytes: number
  /** Memory of the check for its large responses. */
  readonly memory: MemoryHolder
  /** Trusted CA certificates in PEM format. Default: the certificates that Node trusts. */
  readonly ca?: string | undefined
  readonly insecure: boolean
  /** URL of the proxy for all requests, including its credentials. Default: a direct connection. */
  readonly proxy?: string | undefined
  /** Aborts all requests in progress. */
  readonly signal: AbortSignal
  /** Returns the milliseconds since the start of the run. */
  nowMs(): number
  /** Keep-alive connection for the request. Default: a new connection. */
  readonly connection?: KeepAliveConnection | undefined
  /** See `RequestOptions.abortWhen`. */
  readonly abortWhen?: AbortCondition | undefined
  /** Whether the client sends only the first half of the request body, until `signal` aborts the request. */
  readonly sendsHalfBody?: true
}

/** Returns whether the client closes the connection after these events of a stream; at first, there are none. */
export type AbortCondition = (events: readonly StreamEvent[]) => boolean

export const connectTimeoutError: NetworkError = {
  kind: 'timeout',
  message: `no connection within ${CONNECT_TIMEOUT_MS / 1000} s`,
}

/** Error of requests that were in progress when the run was aborted. */
export const interruptedError: NetworkError = { kind: 'interrupted', message: 'the run ended before the response' }

export function createTimeoutError({ ms, isIdle: isSilence }: ExpiredDeadline, hasStarted: boolean): NetworkError {
  const problem = isSilence && hasStarted ? 'no more data of the response' : 'no complete response'
  return { kind: 'timeout', message: `${problem} within ${ms / 1000} s` }
}

export function resolveDeadlines(options: HttpOptions): RequestDeadlines {
  return { totalMs: options.timeoutMs, idleMs: () => options.idleTimeoutMs?.() ?? options.timeoutMs }
}

export function createTooLargeError(maxBodyBytes: number): NetworkError {
  return { kind: 'too-large', message: `the body is larger than ${maxBodyBytes / 1024} KiB` }
}

export const noMemoryError: NetworkError = {
  kind: 'too-large',
  message: `the suite already holds ${MAX_RESERVED_BYTES / 1024 / 1024} MiB of large responses`,
}

export const tooManyInterimError: NetworkError = {
  kind: 'too-large',
  message: `more than ${MAX_INTERIM_RESPONSES} interim responses preceded the response`,
}

/** Starts a clock. Returns a function that returns the milliseconds since its start. */
export function startClock(): () => number {
  const start = performance.now()
  return () => performance.now() - start
}
