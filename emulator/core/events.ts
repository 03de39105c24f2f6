import { makePrintable } from '../../common/printable-text.ts'
import type { ServedOperationName } from '../operations/served-operations.ts'
import type { UploadedFile } from '../operations/uploaded-file.ts'
import type { Account } from '../state/accounts.ts'
import type { ApiErrorCode } from './api-errors.ts'

/*
 * Events that the core reports to observers. The core imports no observer; `instance.ts` passes one to it. The core
 * logs an exception of an observer; the exception never changes a response.
 */

/**
 * Read-only view of a request for observers. The core sets `model` and the fields after it while it handles the
 * request.
 */
export interface ObservedRequest {
  readonly id: string
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Path without query. */
  readonly path: string
  /** Operation of the path, even if the method does not match. Undefined if the path is not an endpoint. */
  readonly operation: ServedOperationName | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Version of HTTP, such as `1.1`. */
  readonly httpVersion: string
  /** Identity of the connection. Undefined for an in-process request. */
  readonly connection: object | undefined
  /** Text after the authentication scheme in the Authorization header; empty if there is none. */
  readonly key: string
  readonly keyOwner: Account | undefined
  /** Arrival time on the monotonic clock, in milliseconds. */
  readonly arrivedAtMs: number
  /** Number of requests in flight when this request arrived, including this one. */
  readonly inFlight: number
  readonly model: string | undefined
  /** Names of the request fields that have no effect. */
  readonly ignoredFields: readonly string[]
  readonly fixtureId: string | undefined
  /** Present if `max_tokens` truncates the message of a fixture. */
  readonly truncation: Truncation | undefined
  readonly faultId: string | undefined
  readonly errorCode: ApiErrorCode | undefined
  /** Time for which the request waited for a slot, in milliseconds. Undefined if the request needs no slot. */
  readonly queuedMs: number | undefined
  /** Number of tokens used; 0 until the bill is settled. */
  readonly usedTokens: number
  /** Number of reasoning tokens among the used tokens; 0 until the bill is settled. */
  readonly reasoningTokens: number
  /** Charge in units of 0.0001 credit; 0 until the bill is settled. */
  readonly chargedUnits: number
  /**
   * Reads the body without calling `onRequestBody`. For an observer of a request whose body no stage has read. Rejects
   * if the client disconnects.
   */
  readUnreportedBody(limitBytes: number): Buffer | undefined | Promise<Buffer | undefined>
}

/** Number of tokens of a fixture's message, and the smaller maximum that truncates it. */
export interface Truncation {
  readonly fixtureTokens: number
  readonly maxTokens: number
}

export interface RequestObserver {
  /**
   * Called when a request arrives.
   * @returns the listener for all later events of this request
   */
  onRequest(request: ObservedRequest): RequestListener
}

/** Receives the events of one request, in the order of the methods below. */
export interface RequestListener {
  /** Called at most once, with the complete request body. */
  onRequestBody(body: Buffer): void
  /** Called for each file of a multipart form, with the name of its field. */
  onUpload(field: string, file: UploadedFile): void
  onResponseStart(status: number, headers: Readonly<Record<string, string>>): void
  /** Called for each part of the response body, just before the part is written. A string is a byte string. */
  onResponseData(chunk: Buffer | string): void
  /** Called just before the emulator ends the response or aborts the connection. */
  onResponseEnd(end: ResponseEndEvent): void
  /** Called last, exactly once for every request, after the bill is settled. */
  onRequestEnd(end: RequestEndEvent): void
}

export interface ResponseEndEvent {
  /** True if the emulator aborts the connection before the response is complete. */
  readonly isAborted: boolean
  readonly hasClientDisconnected: boolean
}

export interface RequestEndEvent {
  readonly hasClientDisconnected: boolean
  /**
   * Write times of the response's events. Undefined for error responses, responses that a fault replaced, and failed
   * streams.
   */
  readonly timing: ResponseTiming | undefined
}

/**
 * Planned and actual write times of a response's events, in milliseconds since the request arrived. A non-streaming
 * response has one event.
 */
export interface ResponseTiming {
  readonly operation: ServedOperationName
  readonly isStream: boolean
  readonly plannedMs: readonly number[]
  readonly writtenMs: readonly number[]
}

/** Writes an exception to stderr. Clients receive no details of it. */
export function logException(requestId: string, error: unknown): void {
  const detail = error instanceof Error ? error.stack : String(error)
  logProblem(`unexpected failure of ${requestId}: ${detail}`)
}

/** Writes a message to stderr, which can contain text of a client or an upstream. */
export function logProblem(message: string): void {
  process.stderr.write(`touchstone emulator: ${makePrintable(message)}\n`)
}
