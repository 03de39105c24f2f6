import type { ErrorStatus } from '../../contract/facts.ts'
import type { Decisions } from '../options/unspecified-behaviour/decisions.ts'
import type { Clock } from '../state/clock.ts'

/** The statuses of section 7, and two that only stand behind a decision. */
export type ApiErrorStatus = ErrorStatus | 405 | 415

/** Every way in which a request can be refused. The one place that gives a refusal its status (section 7). */
const API_ERRORS = {
  'no-key': { status: 401, type: 'authentication_error', code: 'missing_api_key' },
  'invalid-key': { status: 401, type: 'authentication_error', code: 'invalid_api_key' },
  'rate-limited': { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  'unknown-endpoint': { status: 404, type: 'invalid_request_error', code: 'unknown_endpoint' },
  'method-not-allowed': { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' },
  'unsupported-media-type': { status: 415, type: 'invalid_request_error', code: 'unsupported_media_type' },
  'unknown-model': { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  'malformed-request': { status: 400, type: 'invalid_request_error', code: 'malformed_request' },
  'malformed-body': { status: 400, type: 'invalid_request_error', code: 'malformed_body' },
  'body-too-large': { status: 400, type: 'invalid_request_error', code: 'body_too_large' },
  'missing-parameter': { status: 400, type: 'invalid_request_error', code: 'missing_parameter' },
  'invalid-parameter': { status: 400, type: 'invalid_request_error', code: 'invalid_parameter' },
  'insufficient-credits': { status: 402, type: 'insufficient_credits', code: 'insufficient_credits' },
  'no-fixture': { status: 500, type: 'server_error', code: 'no_fixture' },
  'internal-error': { status: 500, type: 'server_error', code: 'internal_error' },
} as const satisfies Record<string, { status: ApiErrorStatus; type: string; code: string }>

/** A name of a row in the table of refusals. */
export type ApiErrorCode = keyof typeof API_ERRORS

/** The end of a request that is not served. */
export interface ApiError {
  readonly code: ApiErrorCode
  /** One sentence for the person who reads it: what is wrong, and what would be right. */
  readonly message: string
  /** The request parameter at fault, where it is one. */
  readonly parameter?: string
  /** For `rate-limited`: milliseconds until a request will be admitted again. */
  readonly retryAfterMs?: number
  /** For `method-not-allowed`: the method that the path has. */
  readonly allow?: string
  /** For `insufficient-credits`: decimal strings. */
  readonly credits?: { readonly needed: string; readonly available: string }
}

/** Tells a refusal from the request that goes on. */
export function isApiError(result: object): result is ApiError {
  return 'code' in result
}

/** Refuses because of the value of one request parameter. */
export function invalidParameter(parameter: string, message: string): ApiError {
  return { code: 'invalid-parameter', message, parameter }
}

/** Status of a refusal (section 7). */
export function statusOf(refusal: ApiError): ApiErrorStatus {
  return API_ERRORS[refusal.code].status
}

/** The body of a refusal with its media type: the decision `error-body`. */
export function bodyOf(
  refusal: ApiError,
  decisions: Decisions,
): { readonly body: string; readonly contentType: string } {
  const { type, code } = API_ERRORS[refusal.code]
  const { message, parameter } = refusal
  switch (decisions['error-body']) {
    case 'sdk': {
      const error = { message, type, param: parameter ?? null, code, ...refusal.credits }
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

/** Header fields of a refusal beyond the media type (RFC 9110, sections 10.2.1, 10.2.3 and 11.6.1). */
export function headersOf(refusal: ApiError, decisions: Decisions, clock: Clock): Record<string, string> {
  if (refusal.allow !== undefined) return { allow: refusal.allow }
  if (statusOf(refusal) === 401 && decisions.challenge === 'bearer') return { 'www-authenticate': 'Bearer' }
  if (refusal.retryAfterMs === undefined || decisions['retry-after'] === 'none') return {}
  // Rounded up: a client that comes back after this many seconds is admitted.
  const seconds = Math.max(1, Math.ceil(refusal.retryAfterMs / 1000))
  if (decisions['retry-after'] === 'seconds') return { 'retry-after': String(seconds) }
  return { 'retry-after': new Date((clock.unixSeconds() + seconds + 1) * 1000).toUTCString() } // dates drop fractions of now
}
