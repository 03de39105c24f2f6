import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import type { Decisions } from '../options/unspecified-behaviour/decisions.ts'
import type { ApiError } from './api-errors.ts'
import type { Received } from './receive.ts'

/** A request to one of the endpoints. */
export interface Located extends Received {
  readonly operation: Operation
}

/** By path: no two operations share one. */
const ENDPOINTS: ReadonlyMap<string, { readonly operation: Operation; readonly method: string }> = new Map(
  Object.entries(OPERATIONS).map(([operation, { method, path }]) => [
    path,
    { operation: operation as Operation, method }, // Object.entries forgets what the type knows
  ]),
)

/**
 * Finds the operation by method and path (section 4).
 * @returns the request with its operation, or the refusal with which it leaves: 404
 */
export function locate<Request extends Received>(
  request: Request,
  decisions: Decisions,
): (Request & Located) | ApiError {
  // A HEAD is answered as a GET whose body the transport leaves out (RFC 9110, section 9.3.2).
  const method = request.method === 'HEAD' && decisions.head === 'as-get' ? 'GET' : request.method
  const path = decisions['trailing-slash'] === 'same' ? request.path.replace(/(?<=.)\/$/, '') : request.path
  const endpoint = ENDPOINTS.get(path)
  if (endpoint?.method === method) return Object.assign(request, { operation: endpoint.operation })
  if (endpoint !== undefined && decisions['wrong-method'] === '405') {
    const { method: allow } = endpoint
    return { code: 'method-not-allowed', message: `${path} takes ${allow} only.`, allow }
  }
  return { code: 'unknown-endpoint', message: `There is no endpoint ${request.method} ${path}.` }
}
