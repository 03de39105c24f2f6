import type { NetworkError } from './network-error.ts'
import type { KeptConnection } from './kept-connection.ts'

/** How requests go on the wire. */
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
  /** Leaves, without an error, once so many events of a stream have arrived. */
  readonly leaveAfterEvents?: number
}

/** 8 MiB: above any answer of the contract that a check asks for. */
export const BYTE_LIMIT = 8 * 1024 * 1024
/** 64 KiB: four times what common servers send at most. */
export const HEADER_LIMIT = 64 * 1024

/** A connection that does not stand by then never will: far more than a round trip around the world, with TLS. */
export const CONNECT_TIMEOUT_MS = 4000

export const connectTimeoutError: NetworkError = {
  kind: 'timeout',
  message: `no connection within ${CONNECT_TIMEOUT_MS / 1000} s`,
}

/** What ends the requests under way when a run ends early; why it did is said once, for each check. */
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
