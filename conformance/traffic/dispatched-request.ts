import type { Exchange, RequestSpec } from '../http/exchange.ts'
import type { HttpOptions } from '../http/http-options.ts'
import { findTimedOperation } from '../latency/latency-samples.ts'
import type { PacedKeyRole } from './lane.ts'
import type { ApiRequest, FormFields } from '../requests/api-request.ts'
import type { RequestKind } from '../requests/classify-request.ts'
import type { RequestInFlight } from './crash-suspects.ts'
import type { ParallelGroup } from '../requests/parallel-group.ts'

/** Sends a request without changes, as the HTTP client and the raw sender do. */
export type RequestSender = (request: RequestSpec, options: HttpOptions) => Promise<Exchange>

export interface DispatchedRequest {
  readonly request: ApiRequest
  readonly form?: FormFields
  /** Sends the request. Default: the HTTP client. */
  readonly send?: RequestSender | undefined
  /** See `RequestOptions.retryRateLimited`. */
  readonly retryRateLimited?: boolean | undefined
  /** See `RequestOptions.group`. */
  readonly group?: ParallelGroup | undefined
  /** See `RequestOptions.onSend`. */
  readonly onSend?: (() => void) | undefined
}

/** Exchange of one attempt. `delayMs` is the delay of the next one, in milliseconds, unless it is the last. */
export interface Attempt {
  readonly exchange: Exchange
  readonly delayMs?: number
}

/** Classifies a request by the specification; see `classifyRequest`. */
export type RequestClassifier = (request: ApiRequest, form: FormFields | undefined) => RequestKind

/** Describes a request for the monitor of the target's health. */
export function describeInFlight(
  source: string,
  { request, form }: DispatchedRequest,
  kind: RequestKind,
): RequestInFlight {
  const { method, path, key } = request
  return { source, method, path, operation: findTimedOperation(request), kind, hasFundedKey: key === 'funded', form }
}

/** Returns the role whose rate limit applies. Returns undefined for a burst, which does not wait. */
export function getPacedKey({ request: { key } }: DispatchedRequest): PacedKeyRole | undefined {
  if (key === 'limited') return undefined
  return key === 'none' ? 'invalid' : key
}
