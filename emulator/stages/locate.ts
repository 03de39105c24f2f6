import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import type { Decisions } from '../decisions/decisions.ts'
import type { Refusal } from '../refusals.ts'
import type { Received } from './receive.ts'

/** A request to one of the endpoints. */
export interface Located extends Received {
  readonly operation: Operation
}

const ENDPOINTS = Object.entries(OPERATIONS).map(([operation, { method, path }]) => ({
  operation: operation as Operation, // Object.entries forgets what the type knows
  method: method as string,
  path: path as string,
}))

/**
 * Finds the operation by method and path (section 4).
 * @returns the request with its operation, or the refusal with which it leaves: 404
 */
export function locate<Request extends Received>(
  request: Request,
  decisions: Decisions,
): (Request & Located) | Refusal {
  // A HEAD is answered as a GET whose body the transport leaves out (RFC 9110, section 9.3.2).
  const method = request.method === 'HEAD' && decisions.head === 'as-get' ? 'GET' : request.method
  const path = decisions['trailing-slash'] === 'same' ? request.path.replace(/(?<=.)\/$/, '') : request.path
  const atPath = ENDPOINTS.filter((endpoint) => endpoint.path === path)
  const found = atPath.find((endpoint) => endpoint.method === method)
  if (found !== undefined) return { ...request, operation: found.operation }
  const allow = atPath[0]?.method
  if (allow !== undefined && decisions['wrong-method'] === '405') {
    return { refused: 'method-not-allowed', message: `${path} takes ${allow} only.`, allow }
  }
  return { refused: 'unknown-endpoint', message: `There is no endpoint ${request.method} ${path}.` }
}
