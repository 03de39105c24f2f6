import type { ServedOperation } from '../operations/served-operations.ts'
import type { Account } from '../state/accounts.ts'
import type { ApiErrorCode } from './api-errors.ts'

/*
 * Events that the core reports to observers. `instance.ts` passes the observer to the core, which imports no observer
 * itself. The core logs exceptions of listeners; they do not change the response.
 */

/** Read-only view of a request for observers. The core sets the fields from `model` on while it handles the request. */
export interface ObservedRequest {
  readonly id: string
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Path without query. */
  readonly path: string
  /** Operation of the path, regardless of the method. Undefined if the path is not an endpoint. */
  readonly operation: ServedOperation | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Connection of the request. Undefined for an in-process request. */
  readonly connection: object | undefined
  /** Text after the authentication scheme in the Authorization header; empty if there is none. */
  readonly key: string
  /** The account with this key. */
  readonly keyOwner: Account | undefined
  /** Monotonic time of the clock, in milliseconds. */
  readonly arrivedAtMs: number
  /** Requests in flight at arrival, including this one. */
  readonly inFlight: number
  readonly model: string | undefined
  /** Names of the request fields without effect. */
  readonly ignoredFields: readonly string[]
  /** Id of the fixture that responded. */
  readonly fixtureId: string | undefined
  readonly faultId: string | undefined
  readonly errorCode: ApiErrorCode | undefined
  /** 0 until the request is settled. */
  readonly usedTokens: number
  /** Units of 0.0001 credit; 0 until the request is settled. */
  readonly chargedUnits: number
  /** Reads the body if no stage has read it, without reporting an event. Rejects when the client disconnects. */
  readUnreportedBody(limitBytes: number): Buffer | undefined | Promise<Buffer | undefined>
}

/** Observer of all requests. */
export interface RequestObserver {
  /**
   * Called when a request arrives.
   * @returns the listener for the other events of this request
   */
  onRequest(request: ObservedRequest): RequestListener
}

/** Listener for the events of one request, in the order of the methods. */
export interface RequestListener {
  /** Called at most once, with the whole body. */
  onRequestBody(body: Buffer): void
  onResponseStart(status: number, headers: Readonly<Record<string, string>>): void
  /** Called for each part of the response body that is written. */
  onResponseData(chunk: Buffer | string): void
  /** Called before the emulator ends the response or aborts its connection. */
  onResponseEnd(end: ResponseEndEvent): void
  /** Called last, exactly once for every request, after its bill is settled. */
  onRequestEnd(end: RequestEndEvent): void
}

export interface ResponseEndEvent {
  /** Whether the emulator aborts the connection before the response is complete. */
  readonly isAborted: boolean
  readonly hasClientDisconnected: boolean
}

export interface RequestEndEvent {
  readonly hasClientDisconnected: boolean
  /** Write times of the events. Undefined for error responses, responses replaced by a fault, and failed streams. */
  readonly timing: ResponseTiming | undefined
}

/**
 * Planned and actual write times of the events of a response, in milliseconds since the request arrived. A response
 * without streaming has one event.
 */
export interface ResponseTiming {
  readonly operation: ServedOperation
  readonly isStream: boolean
  readonly plannedMs: readonly number[]
  readonly writtenMs: readonly number[]
}

/** Writes an exception to stderr. Clients receive no details. */
export function logException(requestId: string, error: unknown): void {
  const detail = error instanceof Error ? error.stack : String(error)
  process.stderr.write(`touchstone emulator: unexpected failure of ${requestId}: ${detail}\n`)
}
