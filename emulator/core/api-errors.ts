import type { ErrorStatus } from '../../contract/facts.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { Clock } from '../state/clock.ts'

/**
 * Error statuses of section 7, and the statuses 405, 415 and 503, which the emulator sends only if an option selects them.
 */
export type ApiErrorStatus = ErrorStatus | 405 | 415 | 503

/**
 * All API errors by code, with their HTTP status (section 7) and the `type` and `code` of the error body, which SDKs
 * read.
 */
const API_ERRORS = {
  'no-key': { status: 401, type: 'authentication_error', code: 'missing_api_key' },
  'invalid-key': { status: 401, type: 'authentication_error', code: 'invalid_api_key' },
  'rate-limited': { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  'queue-full': { status: 429, type: 'rate_limit_error', code: 'queue_full' },
  overloaded: { status: 503, type: 'server_error', code: 'overloaded' },
  'unknown-endpoint': { status: 404, type: 'invalid_request_error', code: 'unknown_endpoint' },
  'method-not-allowed': { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' },
  'unsupported-media-type': { status: 415, type: 'invalid_request_error', code: 'unsupported_media_type' },
  'unknown-model': { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  'unknown-response': { status: 404, type: 'invalid_request_error', code: 'response_not_found' },
  'malformed-request': { status: 400, type: 'invalid_request_error', code: 'malformed_request' },
  'malformed-body': { status: 400, type: 'invalid_request_error', code: 'malformed_body' },
  'body-too-large': { status: 400, type: 'invalid_request_error', code: 'body_too_large' },
  'missing-parameter': { status: 400, type: 'invalid_request_error', code: 'missing_parameter' },
  'invalid-parameter': { status: 400, type: 'invalid_request_error', code: 'invalid_parameter' },
  'insufficient-credits': { status: 402, type: 'insufficient_credits', code: 'insufficient_credits' },
  'no-fixture': { status: 400, type: 'invalid_request_error', code: 'no_fixture' },
  'internal-error': { status: 500, type: 'server_error', code: 'internal_error' },
} as const satisfies Record<string, { status: ApiErrorStatus; type: string; code: string }>

/** Code of an API error. Request log entries contain it in the field `refused`. */
export type ApiErrorCode = keyof typeof API_ERRORS

/** An error that rejects a request. Each pipeline stage returns either its result or an ApiError. */
export interface ApiError {
  readonly code: ApiErrorCode
  /** A sentence that describes the error and how to correct the request. */
  readonly message: string
  /** Name of the missing or invalid request parameter; absent for other errors. */
  readonly parameter?: string
  /**
   * Milliseconds until the rate limit allows the request, or until the next slot is expected to become free. Present only
   * for `rate-limited`, `queue-full` and `overloaded`.
   */
  readonly retryAfterMs?: number
  /** HTTP methods that the path supports. Present only for `method-not-allowed`. */
  readonly allow?: string
  /** Needed and available credits, as decimal strings. Present only for `insufficient-credits`. */
  readonly credits?: { readonly needed: string; readonly available: string }
}

/** Checks whether the result of a pipeline stage is an error. Only errors have a field `code`. */
export function isApiError(result: unknown): result is ApiError {
  if (typeof result !== 'object' || result === null) return false
  // V8 reads a property faster than it evaluates the `in` operator on objects of many shapes.
  const { code }: { readonly code?: unknown } = result
  return code !== undefined
}

export function createParameterError(parameter: string, message: string): ApiError {
  return { code: 'invalid-parameter', message, parameter }
}

export function getErrorStatus(error: ApiError): ApiErrorStatus {
  return API_ERRORS[error.code].status
}

/** Builds the body and media type of an error response in the format that the option `error-body` selects. */
export function buildErrorBody(
  apiError: ApiError,
  behaviour: BehaviourOptions,
): { readonly body: string; readonly contentType: string } {
  const { type, code } = API_ERRORS[apiError.code]
  const { message, parameter, credits } = apiError
  switch (behaviour['error-body']) {
    case 'sdk': {
      const error = { message, type, param: parameter ?? null, code, ...credits }
      return { body: JSON.stringify({ error }), contentType: 'application/json' }
    }
    case 'detail':
      return { body: JSON.stringify({ detail: message }), contentType: 'application/json' }
    case 'text':
      return { body: message, contentType: 'text/plain; charset=utf-8' }
    case 'empty':
      return { body: '', contentType: 'text/plain' }
  }
}

/**
 * Builds the header fields of an error response, except its media type (RFC 9110, sections 10.2.1, 10.2.3 and 11.6.1).
 */
export function buildErrorHeaders(error: ApiError, behaviour: BehaviourOptions, clock: Clock): Record<string, string> {
  if (error.allow !== undefined) return { allow: error.allow }
  // Tells the official SDKs not to retry, because a retry would receive the same response.
  if (error.code === 'no-fixture') return { 'x-should-retry': 'false' }
  if (getErrorStatus(error) === 401 && behaviour.challenge === 'bearer') return { 'www-authenticate': 'Bearer' }
  if (error.retryAfterMs === undefined || behaviour['retry-after'] === 'none') return {}
  // Rounded up, because the emulator would reject an earlier retry again.
  const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1000))
  if (behaviour['retry-after'] === 'seconds') return { 'retry-after': String(seconds) }
  // Adds one second, because HTTP dates have no fractions of a second.
  return { 'retry-after': new Date((clock.unixSeconds() + seconds + 1) * 1000).toUTCString() }
}
