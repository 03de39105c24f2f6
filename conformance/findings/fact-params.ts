import type { ExchangeError } from '../http/exchange.ts'

/* Types of parameters of facts and findings, as plain data. */

/** A value from a response. A long value is `{ cut }`, the start of its JSON text: see `json-excerpt.ts`. */
export type JsonExcerpt =
  | null
  | boolean
  | number
  | string
  | readonly JsonExcerpt[]
  | { readonly [name: string]: JsonExcerpt }

/** Status and error of an exchange. Status 0 means that the target sent no status line. */
export type ResponseParams = {
  readonly actualStatus: number
  readonly error?: ExchangeError
  readonly isErrorInStream?: true
  /** Whether a 2xx response contains an error in place of a result. */
  readonly isErrorInBody?: true
  /** Whether a 2xx response contains no part of a result of its operation. */
  readonly lacksResult?: true
}

/** `waitedMs` is the wait for an invalid request, and `controlMs` the duration of its control request. */
export type NoResponseParams = ResponseParams & {
  readonly error: ExchangeError
  readonly waitedMs?: number
  readonly controlMs?: number
}

/** A request that broke down once and succeeded when repeated, with data that helps to find it in the target's logs. */
export interface RecordedFlake extends ResponseParams {
  /** Method and path of the request. */
  readonly endpoint: string
  /** Start time of the request (ISO 8601). */
  readonly sentAt: string
  /** Response header that contains the request ID, as `name: value`. */
  readonly requestId?: string
  readonly repeatStatus: number
  readonly repeatedAfterMs: number
}

/** Requests that broke down once and succeeded when repeated. */
export interface FlakedRequests {
  readonly flakes: number
  /** Number of incidents that caused the breakdowns. An outage counts as one. */
  readonly incidents: number
  readonly requests: number
  readonly by: readonly BreakdownGroup[]
  readonly first: RecordedFlake
}

/** Requests that broke down on every attempt. `requests` is the number of all requests to the operation. */
export interface BrokenRequests {
  readonly broken: number
  readonly requests: number
  readonly by: readonly BreakdownGroup[]
  /** ID of the check after whose request every new valid request broke down: a request that broke down or was aborted. */
  readonly since?: string
  readonly sinceAborted?: true
}

/** Requests that broke down in the same way. */
export interface BreakdownGroup extends ResponseParams {
  /** Method and path of the requests. */
  readonly endpoint: string
  /** Whether the requests have `stream: true`. Absent if the target served requests of both kinds. */
  readonly stream?: boolean
  /** Model that all requests of the group name. Absent if the target served another request for the same model. */
  readonly model?: string
  /** Number of requests that ran in parallel. Absent if the target also breaks down for a request that runs alone. */
  readonly parallel?: number
  /** Whether all requests of the group have a large body, and the target served no request with a large body. */
  readonly largeBody?: true
  readonly invalidUtf8?: true
  /** Role that a message of each request has. Absent if the target served another request with such a message. */
  readonly role?: string
  /** Parameter that each request contains. Absent if the target served another request with this parameter. */
  readonly parameter?: string
  /** Parameters whose values the specification does not cover, if that is so for all requests that broke down. */
  readonly uncovered?: readonly string[]
  readonly requests: number
}

/** Usage and charge of a chat. The charge is in units of 0.0001 credit. */
export type ChatCharge = { readonly prompt: number; readonly completion: number; readonly units: number }

/** Response of a target that does not support a feature of the request. */
export interface UnsupportedFeature {
  readonly actualStatus: number
  readonly instead: 'error' | 'no-tool-call' | 'no-json'
}

/** How the price table explains a charge. `otherUnits` is the price of the tokens that have another price. */
export type PriceReading =
  | 'all-tokens'
  | 'completion-only'
  | { readonly byTable: 'prompt' | 'completion'; readonly otherUnits: number }
