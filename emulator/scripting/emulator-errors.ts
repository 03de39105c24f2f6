import type { ApiError } from '../core/api-errors.ts'

/**
 * Errors of the emulator by status. Scripted and injected errors use them, so that their `code`, `Retry-After` and
 * `WWW-Authenticate` equal those of the emulator's own errors.
 */
const EMULATOR_ERRORS: ReadonlyMap<number, Omit<ApiError, 'message'>> = new Map<number, Omit<ApiError, 'message'>>([
  [400, { code: 'malformed-request' }],
  [401, { code: 'invalid-key' }],
  [402, { code: 'insufficient-credits', credits: { needed: '0.0001', available: '0' } }],
  [404, { code: 'unknown-model', parameter: 'model' }],
  [429, { code: 'rate-limited', retryAfterMs: 1000 }],
])

/** Returns the emulator's error with this status, or undefined if no error of the emulator has it. */
export function createEmulatorError(status: number, message: string): ApiError | undefined {
  const error = EMULATOR_ERRORS.get(status)
  return error === undefined ? undefined : { ...error, message }
}
