import type { Exchange, ExchangeError } from './exchange.ts'

/** Errors that the tester's network or the tester's own limits cause. They are no evidence against the target. */
const TESTER_SIDE_ERRORS: readonly ExchangeError[] = [
  'spend-limit',
  'interrupted',
  'refused',
  'dns',
  'tls',
  'http-version',
  'not-tls',
  'too-large',
]

/** Fields of an exchange that describe how it ended. */
export type ExchangeResult = Pick<Exchange, 'status' | 'error' | 'reusedConnection'>

export function hasTesterSideError({ error }: ExchangeResult): boolean {
  return error !== undefined && TESTER_SIDE_ERRORS.includes(error.kind)
}

/**
 * Returns whether the target failed: it sent a 5xx, an incomplete response, or no response. This is a failure even if
 * the request is unspecified. A reused connection that closes without a response does not count, because HTTP allows a
 * server to close an idle connection.
 */
export function hasBrokenDown(end: ExchangeResult): boolean {
  if (end.error === undefined) return end.status >= 500
  return !hasTesterSideError(end) && !isStaleConnectionError(end)
}

/**
 * Returns whether the target closed a reused connection without a response, probably before it received this request.
 */
export function isStaleConnectionError({ status, reusedConnection, error }: ExchangeResult): boolean {
  return status === 0 && reusedConnection === true && (error?.kind === 'reset' || error?.kind === 'closed-early')
}
