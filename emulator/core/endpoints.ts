import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import { EXTENSIONS, type ExtensionName, type ServedOperationName } from '../operations/served-operations.ts'

/** Operation and HTTP method of a path. Every path has exactly one operation. */
export interface Endpoint {
  readonly operation: ServedOperationName
  readonly method: string
}

export type Endpoints = ReadonlyMap<string, Endpoint>

const SPECIFIED_ENDPOINTS: Endpoints = new Map(
  Object.entries(OPERATIONS).map(([operation, { method, path }]) => [
    path,
    { operation: operation as Operation, method }, // Restores the key type, which Object.entries widens to string.
  ]),
)

/** Creates the endpoints of the specification and of the enabled extensions. */
export function createEndpoints(extensions: readonly ExtensionName[] = []): Endpoints {
  if (extensions.length === 0) return SPECIFIED_ENDPOINTS
  const added = extensions.map((operation): [string, Endpoint] => {
    const { path, method } = EXTENSIONS[operation]
    return [path, { operation, method }]
  })
  return new Map([...SPECIFIED_ENDPOINTS, ...added])
}
