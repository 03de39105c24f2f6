import { OPERATIONS } from '../../contract/facts.ts'
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
export type ExchangeResult = Pick<Exchange, 'status' | 'error' | 'reusedConnection'> & {
  readonly request: Pick<Exchange['request'], 'method' | 'path'>
}

export function hasTesterSideError({ error }: Pick<ExchangeResult, 'error'>): boolean {
  return error !== undefined && TESTER_SIDE_ERRORS.includes(error.kind)
}

/**
 * Returns whether the target failed: it sent a 5xx, an incomplete response, or no response. This is a failure even if
 * the request is unspecified. A reused connection that closes without a response does not count, because HTTP allows a
 * server to close an idle connection. Neither does a 501 for a method that the specification does not use for the path.
 */
export function hasBrokenDown(end: ExchangeResult): boolean {
  if (end.error === undefined) return end.status >= 500 && !isUnsupportedMethod(end)
  return !hasTesterSideError(end) && !isStaleConnectionError(end)
}

/** Status of a server that does not implement the method of a request (RFC 9110, sections 9.1 and 15.6.2). */
const NOT_IMPLEMENTED = 501

function isUnsupportedMethod({ status, request: { method, path } }: ExchangeResult): boolean {
  const isUsed = Object.values(OPERATIONS).some((one) => one.method === method && one.path === path)
  const isKnownPath = Object.values(OPERATIONS).some((one) => one.path === path)
  return status === NOT_IMPLEMENTED && isKnownPath && !isUsed
}

/** Statuses that servers send for an unknown path, or for a POST to a path that does not accept it. */
const UNKNOWN_PATH_STATUSES: readonly number[] = [404, 405, 501]

export function isUnknownPathStatus(status: number): boolean {
  return UNKNOWN_PATH_STATUSES.includes(status)
}

/** Returns whether the target closed a reused connection, probably before it received this request. */
export function isStaleConnectionError({ status, reusedConnection, error }: Omit<ExchangeResult, 'request'>): boolean {
  return status === 0 && reusedConnection === true && (error?.kind === 'reset' || error?.kind === 'closed-early')
}
