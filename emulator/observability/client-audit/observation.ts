import type { Moment } from '../request-log/request-record.ts'

/** What is seen of one request, when its answer is over. */
export interface RequestObservation {
  readonly requestId: string
  /** When it came in, Unix time in milliseconds. */
  readonly atUnixMs: number
  /** What was asked: requests of one client that ask the same have the same. Only called where it matters. */
  fingerprint(): string
  /** Turn in which its connection was opened, which also names that connection; undefined in process. */
  readonly connection: number | undefined
  /** No request came by that connection before. */
  readonly isFirstOnConnection: boolean
  readonly arrived: Moment
  /** When the last of the answer was handed over. */
  readonly ended: Moment
  /** Undefined: there was no answer. */
  readonly status: number | undefined
  /** The connection was broken off by the emulator. */
  readonly isAborted: boolean
  /** As it was told to the client. */
  readonly retryAfterMs: number | undefined
  /** The client left a stream before its end. */
  readonly hasAbortedStream: boolean
  readonly hasSecretInUrl: boolean
}
