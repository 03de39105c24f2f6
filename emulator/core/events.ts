import type { ModelId, Operation } from '../../contract/facts.ts'
import type { Account } from '../state/accounts.ts'
import type { ApiErrorCode } from './api-errors.ts'

/*
 * Events that the core reports to observers. The core imports no observer: `instance.ts` passes one in. An exception in
 * a listener is logged and does not affect the response.
 */

/** A request as observers see it. The fields from `model` on are set while the request is handled. */
export interface ObservedRequest {
  readonly id: string
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Path without query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Undefined for an in-process request. */
  readonly connection: object | undefined
  /** The second word of the Authorization header; empty if the header has none. */
  readonly key: string
  /** The account with this key. */
  readonly keyOwner: Account | undefined
  /** Monotonic time of the clock, in milliseconds. */
  readonly arrivedAtMs: number
  /** Requests in flight at arrival, including this one. */
  readonly inFlight: number
  readonly model: ModelId | undefined
  readonly faultId: string | undefined
  readonly errorCode: ApiErrorCode | undefined
  /** 0 until the request is settled. */
  readonly usedTokens: number
  /** Units of 0.0001 credit; 0 until the request is settled. */
  readonly chargedUnits: number
  /** Reads a body that no stage has read, without reporting an event. Rejects when the client disconnects. */
  readUnreportedBody(limitBytes: number): Buffer | undefined | Promise<Buffer | undefined>
}

/** Receives each request when it arrives. */
export interface RequestObserver {
  /** @returns the listener for the rest of this request */
  onRequest(request: ObservedRequest): RequestListener
}

/** Receives the events of one request, in this order. */
export interface RequestListener {
  /** Called at most once, with the whole body. */
  onRequestBody(body: Buffer): void
  onResponseStart(status: number, headers: Readonly<Record<string, string>>): void
  /** Called for each part of the response body that is written. */
  onResponseData(chunk: Buffer | string): void
  /** Called before the emulator ends the response or aborts its connection. */
  onResponseEnd(end: ResponseEnd): void
  /** Called last, exactly once for every request, after its bill is settled. */
  onRequestEnd(end: RequestEnd): void
}

export interface ResponseEnd {
  /** The emulator aborts the connection instead of completing the response. */
  readonly isAborted: boolean
  readonly hasClientLeft: boolean
}

export interface RequestEnd {
  readonly hasClientLeft: boolean
  /** Undefined for errors, faults that replace the response, and streams that failed. */
  readonly timing: ResponseTiming | undefined
}

/**
 * When the events of a response were due and when they were written, in milliseconds since arrival. A whole response
 * has one event.
 */
export interface ResponseTiming {
  readonly operation: Operation
  readonly isStream: boolean
  readonly plannedMs: readonly number[]
  readonly writtenMs: readonly number[]
}

/** Writes an exception to stderr for the operator. Clients do not see it. */
export function logException(requestId: string, error: unknown): void {
  const detail = error instanceof Error ? error.stack : String(error)
  process.stderr.write(`touchstone emulator: unexpected failure of ${requestId}: ${detail}\n`)
}
