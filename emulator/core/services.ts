import type { Settings } from '../options/settings.ts'
import type { GeneratedResponse, PreparedOperation, RequestFields, ScriptedMessage } from '../operations/operation.ts'
import type { Account } from '../state/accounts.ts'
import type { Clock } from '../state/clock.ts'
import type { Scheduler } from '../state/scheduler.ts'
import type { RequestCounter } from '../state/request-counter.ts'
import type { TokenSchedule } from '../state/latency.ts'
import type { ApiError } from './api-errors.ts'
import type { Authenticator } from './check-access.ts'
import type { RequestObserver } from './events.ts'
import type { RequestContext, RequestHeaders } from './request-context.ts'
import type { ApiResponse, WholeResponse } from './response.ts'
import type { ResponseWriter } from './response-writer.ts'

/** Services that the core uses. `instance.ts` assembles them; `scripting/` implements the interfaces below. */
export interface CoreServices {
  readonly settings: Settings
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly authenticator: Authenticator
  readonly requestCounter: RequestCounter
  readonly load: { inFlight: number; received: number }
  readonly observer: RequestObserver
  readonly faults: FaultSource
  /** If absent, every response is generated. */
  readonly scripts: ResponseSource | undefined
  /** If present, requests are forwarded to it instead of handled. */
  readonly proxy: RequestProxy | undefined
}

/** A request that passed validation. */
export interface ValidRequest {
  readonly headers: RequestHeaders
  readonly account: Account
  /** The fields of the body before parameters are parsed. */
  readonly fields: RequestFields
  readonly work: PreparedOperation
}

/** Fault injection, which runs after validation. */
export interface FaultSource {
  /**
   * Selects the fault for this request and counts it as used.
   * @returns the fault, or an error for a fault header that cannot be parsed: 400
   */
  selectFault(request: ValidRequest): SelectedFault | ApiError | undefined
  /** Tracks a response with a fault until it ends. A stalled response may never end. */
  trackResponse(writer: ResponseWriter): void
}

export interface SelectedFault {
  readonly id: string
  /** Calls `respond`, unless the fault replaces the response. A replaced response holds, charges and counts nothing. */
  inject(respond: () => ApiResponse): ApiResponse
}

/** Fixtures and recordings, which are selected before pricing. */
export interface ResponseSource {
  /** @returns undefined if the response is to be generated; an error if a script is required and missing: 500 */
  find(request: ValidRequest): ScriptedResponse | ApiError | undefined
}

export type ScriptedResponse =
  /** A message. The operation builds its usual response from it, with the usual latency. */
  | { readonly kind: 'message'; readonly scripted: ScriptedMessage }
  /** A complete body or stream, charged by its usage. Without a schedule it has the usual latency. */
  | {
      readonly kind: 'content'
      readonly content: GeneratedResponse
      readonly schedule?: TokenSchedule
      readonly headers: Readonly<Record<string, string>>
    }
  /** A non-200 response; nothing is held or charged. */
  | { readonly kind: 'response'; readonly response: WholeResponse }

/** Forwards requests to an upstream. */
export interface RequestProxy {
  /** Resolves when the response is over. Rejects when the client disconnects while its body is read. */
  forward(request: RequestContext, writer: ResponseWriter): Promise<void>
}
