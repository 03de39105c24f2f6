import type { ErrorStatus } from '../contract/facts.ts'

/** Every way in which a request can be refused. The one place that gives a refusal its status (section 7). */
const REFUSALS = {
  'no-key': { status: 401, type: 'authentication_error', code: 'missing_api_key' },
  'invalid-key': { status: 401, type: 'authentication_error', code: 'invalid_api_key' },
  'rate-limited': { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  'unknown-endpoint': { status: 404, type: 'invalid_request_error', code: 'unknown_endpoint' },
  'unknown-model': { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  'malformed-request': { status: 400, type: 'invalid_request_error', code: 'malformed_request' },
  'malformed-body': { status: 400, type: 'invalid_request_error', code: 'malformed_body' },
  'body-too-large': { status: 400, type: 'invalid_request_error', code: 'body_too_large' },
  'missing-parameter': { status: 400, type: 'invalid_request_error', code: 'missing_parameter' },
  'invalid-parameter': { status: 400, type: 'invalid_request_error', code: 'invalid_parameter' },
  'insufficient-credits': { status: 402, type: 'insufficient_credits', code: 'insufficient_credits' },
  'internal-error': { status: 500, type: 'server_error', code: 'internal_error' },
} as const satisfies Record<string, { status: ErrorStatus; type: string; code: string }>

/** A name of a row in the table of refusals. */
export type RefusalReason = keyof typeof REFUSALS

/** The end of a request that is not served. */
export interface Refusal {
  readonly refused: RefusalReason
  /** One sentence for the person who reads it: what is wrong, and what would be right. */
  readonly message: string
  /** The request parameter at fault, where it is one. */
  readonly parameter?: string
  /** For `rate-limited`: milliseconds until a request will be admitted again. */
  readonly retryAfterMs?: number
  /** For `insufficient-credits`: decimal strings. */
  readonly credits?: { readonly needed: string; readonly available: string }
}

/** Tells a refusal from the request that goes on. */
export function isRefusal(result: object): result is Refusal {
  return 'refused' in result
}

/** Refuses because of the value of one request parameter. */
export function invalidParameter(parameter: string, message: string): Refusal {
  return { refused: 'invalid-parameter', message, parameter }
}

/** Status of a refusal (section 7). */
export function statusOf(refusal: Refusal): ErrorStatus {
  return REFUSALS[refusal.refused].status
}

/**
 * Body of a refusal. The document does not show its shape; this is the one that client SDKs of the common kind read:
 * `{"error": {"message", "type", "param", "code"}}`.
 */
export function bodyOf(refusal: Refusal): string {
  const { type, code } = REFUSALS[refusal.refused]
  const error = { message: refusal.message, type, param: refusal.parameter ?? null, code, ...refusal.credits }
  return JSON.stringify({ error })
}

/** Header fields of a refusal beyond the media type (RFC 9110, sections 10.2.3 and 11.6.1). */
export function headersOf(refusal: Refusal): Record<string, string> {
  if (statusOf(refusal) === 401) return { 'www-authenticate': 'Bearer' }
  if (refusal.retryAfterMs === undefined) return {}
  // Rounded up: a client that comes back after this many seconds is admitted.
  return { 'retry-after': String(Math.max(1, Math.ceil(refusal.retryAfterMs / 1000))) }
}
