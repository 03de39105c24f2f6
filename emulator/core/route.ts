import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { ApiError } from './api-errors.ts'

/** Operations by path: no two share one. */
const ENDPOINTS: ReadonlyMap<string, { readonly operation: Operation; readonly method: string }> = new Map(
  Object.entries(OPERATIONS).map(([operation, { method, path }]) => [
    path,
    { operation: operation as Operation, method }, // Object.entries loses the key type.
  ]),
)

/**
 * Finds the operation of a method and a path (section 4).
 * @returns an error if there is none: 404, or 405 if an option says so
 */
export function route(
  request: { readonly method: string; readonly path: string },
  behaviour: BehaviourOptions,
): Operation | ApiError {
  // HEAD is handled as GET; the transport omits the body (RFC 9110, section 9.3.2).
  const method = request.method === 'HEAD' && behaviour.head === 'as-get' ? 'GET' : request.method
  const path = behaviour['trailing-slash'] === 'same' ? request.path.replace(/(?<=.)\/$/, '') : request.path
  const endpoint = ENDPOINTS.get(path)
  if (endpoint?.method === method) return endpoint.operation
  if (endpoint !== undefined && behaviour['wrong-method'] === '405') {
    const { method: allow } = endpoint
    return { code: 'method-not-allowed', message: `${path} takes ${allow} only.`, allow }
  }
  return { code: 'unknown-endpoint', message: `There is no endpoint ${request.method} ${path}.` }
}

/**
 * Extracts the path of a request target. Accepts origin form and the absolute form that proxies receive (RFC 9112,
 * section 3.2).
 */
export function pathOf(target: string): string {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const query = origin.indexOf('?')
  return query === -1 ? origin : origin.slice(0, query)
}
