import type { Exchange, ExchangeError } from './exchange.ts'

/** Errors of the tester's network, or of limits that the tester set. They prove nothing about the target. */
const TESTER_SIDE_ERRORS: readonly ExchangeError[] = ['budget', 'interrupted', 'refused', 'dns', 'tls', 'too-large']

/** The part of an exchange that tells how it ended. */
export type ExchangeEnd = Pick<Exchange, 'status' | 'error' | 'reusedConnection'>

/** True if an error of the tester's network, or a limit that the tester set, ended the exchange. */
export function hasTesterSideError({ error }: ExchangeEnd): boolean {
  return error !== undefined && TESTER_SIDE_ERRORS.includes(error.kind)
}

/**
 * True for a 5xx and for a response that did not arrive, or not whole: not even unspecified behaviour allows it. HTTP
 * lets either side close an idle connection, so that a reused connection without a response is none.
 */
export function hasBrokenDown(end: ExchangeEnd): boolean {
  if (end.error === undefined) return end.status >= 500
  return !hasTesterSideError(end) && !isClosedUnannounced(end)
}

/** True for a kept connection that was closed between two requests: the client has to send the second one again. */
export function isClosedUnannounced({ status, reusedConnection, error }: ExchangeEnd): boolean {
  return status === 0 && reusedConnection === true && (error?.kind === 'reset' || error?.kind === 'closed-early')
}
