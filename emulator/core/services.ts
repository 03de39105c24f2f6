import type { EmulatorSettings } from '../options/settings.ts'
import type { FormOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { GeneratedResponse, PreparedOperation, ScriptedMessage } from '../operations/operation.ts'
import type { ExtensionName, STORED_RESPONSES } from '../operations/served-operations.ts'
import type { Account } from '../state/accounts.ts'
import type { Clock } from '../state/clock.ts'
import type { Scheduler } from '../state/scheduler.ts'
import type { Slots } from '../state/slots.ts'
import type { RequestCounter } from '../state/request-counter.ts'
import type { TokenSchedule } from '../state/latency.ts'
import type { ApiError } from './api-errors.ts'
import type { Authenticator } from './check-access.ts'
import type { Endpoints } from './endpoints.ts'
import type { RequestObserver, Truncation } from './events.ts'
import type { RequestContext, RequestHeaders } from './request-context.ts'
import type { ApiResponse, CompleteResponse } from './response.ts'
import type { ResponseWriter } from './response-writer.ts'
import type { ValidatedBody } from './validate.ts'

/**
 * Services that the core uses. `instance.ts` creates them. `extensions/` and `scripting/` implement the interfaces
 * below.
 */
export interface CoreServices {
  readonly settings: EmulatorSettings
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly endpoints: Endpoints
  readonly authenticator: Authenticator
  readonly requestCounter: RequestCounter
  readonly load: { inFlight: number; received: number }
  /** Slots of the requests in service. Undefined if the emulator serves any number of requests at once. */
  readonly slots: Slots | undefined
  readonly observer: RequestObserver
  readonly extensions: ExtensionValidator
  readonly faults: FaultProvider
  readonly scripts: ScriptedResponseProvider
  /** Proxy that forwards all requests to an upstream. Undefined if the emulator has no upstream. */
  readonly proxy: RequestProxy | undefined
}

/** Validates requests for operations outside the specification. */
export interface ExtensionValidator {
  /**
   * Reads and validates a request, as `validateRequest` does for an operation of the specification.
   * @returns an error if the request is invalid: 400, or 404 for an unknown model or an unknown response
   */
  validate(
    request: RequestContext,
    operation: ExtensionName | typeof STORED_RESPONSES,
    account: Account,
  ): Promise<ValidatedBody | ApiError>
}

export interface ValidRequest extends ValidatedBody {
  readonly headers: RequestHeaders
  readonly account: Account
  /** Scheme and host of the client's request: the `{base_url}` of the specification. */
  readonly baseUrl: string
}

/** Selects and injects faults. The core calls it after validation. */
export interface FaultProvider {
  /**
   * Selects the fault for this request and increments its use count.
   * @returns the fault, undefined if none matches, or an error for an invalid fault header (400)
   */
  selectFault(request: ValidRequest): SelectedFault | ApiError | undefined
  /**
   * Tracks a response with an injected fault, so that closing the emulator can abort it. A stalled response would
   * otherwise end only when the client disconnects.
   */
  trackResponse(writer: ResponseWriter): void
  /** Makes the port refuse new connections for `ms` milliseconds of the system clock. */
  refuseConnections(ms: number): void
}

export interface SelectedFault {
  readonly id: string
  /**
   * Returns the response with the fault applied. If the fault replaces the response, does not call `respondAndBill`: no
   * credits are held or charged, and the request counter stays unchanged.
   */
  inject(request: FaultedRequest): ApiResponse | Promise<ApiResponse>
}

export interface FaultedRequest {
  /** Runs the stages that hold credits and generate the response. */
  respondAndBill(): ApiResponse | Promise<ApiResponse>
  /** Builds an error response in the usual format of the emulator. */
  createErrorResponse(error: ApiError): CompleteResponse
}

/** Finds scripted responses: fixtures and recordings. The core calls it before it holds credits. */
export interface ScriptedResponseProvider {
  /**
   * Finds the scripted response for a request.
   * @returns undefined if the emulator must generate the response, or an error (400) if the options require a scripted
   * response and none matches
   */
  find(request: ValidRequest): ScriptedResponse | ApiError | undefined
}

export type ScriptedResponse = {
  /** Id of the fixture; absent for a recording. */
  readonly fixtureId?: string
  /** Operation with a limit that allows the whole response. Absent if the limit of the request applies. */
  readonly work?: PreparedOperation
  readonly truncation?: Truncation
  /** Names of request fields that have no effect on this response. */
  readonly ignoredFields?: readonly string[]
  /** Fault of the fixture. It applies unless a fault rule applies to the request. */
  readonly fault?: SelectedFault
} &
  /** A message, which the operation formats as usual and sends with the usual latency. */
  (
    | {
        readonly kind: 'message'
        readonly scripted: ScriptedMessage
        readonly form?: Partial<FormOptions>
        readonly headers: Readonly<Record<string, string>>
      }
    /** A complete body or stream, charged by its token usage. If it has no schedule, the usual latency applies. */
    | {
        readonly kind: 'content'
        readonly content: GeneratedResponse
        readonly schedule?: TokenSchedule
        readonly headers: Readonly<Record<string, string>>
      }
    /** Header fields and options for a response that the emulator generates as usual. */
    | {
        readonly kind: 'generated'
        readonly form?: Partial<FormOptions>
        readonly headers: Readonly<Record<string, string>>
      }
    /** A response with a status other than 200. No credits are held or charged. */
    | { readonly kind: 'response'; readonly response: CompleteResponse }
  )

export interface RequestProxy {
  /**
   * Resolves when the response ends, or with a recorded response that the caller sends instead. Rejects if the client
   * disconnects before its request body is complete.
   */
  forward(request: RequestContext, writer: ResponseWriter): Promise<ApiResponse | undefined>
}
