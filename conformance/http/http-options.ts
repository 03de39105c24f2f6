import type { NetworkError } from './network-error.ts'
import type { KeptConnection } from './kept-connection.ts'

/** How requests are sent. */
export interface HttpOptions {
  /** Base address without `/v1` and trailing slash. */
  readonly baseUrl: string
  /** Milliseconds from sending to the last byte of the answer. */
  readonly timeoutMs: number
  /** Most bytes of a body, and of its decoded form. */
  readonly byteLimit: number
  /** Most bytes of the header section of an answer. */
  readonly headerLimit: number
  /** Trust, in PEM, instead of the system's. */
  readonly ca?: string
  /** True accepts any certificate. */
  readonly insecure: boolean
  /** Ends all that is under way. */
  readonly signal: AbortSignal
  /** Milliseconds since the run started. */
  nowMs(): number
  /** A connection that other requests use too. Default: one of its own. */
  readonly connection?: KeptConnection
  /** Closes the connection, without an error, after this number of stream events. */
  readonly leaveAfterEvents?: number
}

/** 8 MiB: more than any valid response to a request of the suite. */
export const BYTE_LIMIT = 8 * 1024 * 1024
/** 64 KiB: four times what common servers send at most. */
export const HEADER_LIMIT = 64 * 1024

/** Deadline for connecting: far more than a round trip around the world, with TLS. */
export const CONNECT_TIMEOUT_MS = 4000

export const connectTimeoutError: NetworkError = {
  kind: 'timeout',
  message: `no connection within ${CONNECT_TIMEOUT_MS / 1000} s`,
}

/** Ends the requests in flight when a run is aborted. */
export const interruptedError: NetworkError = { kind: 'interrupted', message: 'the run ended before the answer' }

export function timeoutError(timeoutMs: number): NetworkError {
  return { kind: 'timeout', message: `no whole answer within ${timeoutMs / 1000} s` }
}

export function tooLargeError(byteLimit: number): NetworkError {
  return { kind: 'too-large', message: `the body is larger than ${byteLimit / 1024} KiB` }
}

/** A clock that starts now, in milliseconds. */
export function startClock(): () => number {
  const start = performance.now()
  return () => performance.now() - start
}
