import type { Exchange } from '../http/exchange.ts'
import type { TimedOperation } from '../latency/latency-samples.ts'

/** Sends a request to which the target has responded. */
export type HealthRequest = () => Promise<Exchange>

/** A request before the checks to which the target responded. */
export interface FirstRequest {
  readonly operation: TimedOperation
  readonly isServed: boolean
  readonly send: HealthRequest
}

/** Returns whether the target closed the connection without a response. */
export function hasClosedConnection({ status, error }: Exchange): boolean {
  return status === 0 && (error?.kind === 'reset' || error?.kind === 'closed-early')
}
