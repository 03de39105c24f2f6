import { OPERATIONS, type Operation } from '../../contract/facts.ts'
import {
  EXTENSIONS,
  STORED_RESPONSES,
  type ExtensionName,
  type ServedOperationName,
} from '../operations/served-operations.ts'

/** Operation and HTTP methods of a path. Every path has exactly one operation. */
export interface Endpoint {
  readonly operation: ServedOperationName
  readonly methods: readonly string[]
}

/** Endpoints by path. {@link findStoredResponse} finds the paths that contain the ID of a stored response. */
export type Endpoints = ReadonlyMap<string, Endpoint>

const SPECIFIED_ENDPOINTS: Endpoints = new Map(
  Object.entries(OPERATIONS).map(([operation, { method, path }]) => [
    path,
    { operation: operation as Operation, methods: [method] }, // Restores the key type, which Object.entries widens to string.
  ]),
)

export function createEndpoints(extensions: readonly ExtensionName[] = []): Endpoints {
  if (extensions.length === 0) return SPECIFIED_ENDPOINTS
  const added = extensions.map((operation): [string, Endpoint] => {
    const { path, method } = EXTENSIONS[operation]
    return [path, { operation, methods: [method] }]
  })
  return new Map([...SPECIFIED_ENDPOINTS, ...added])
}

const RESPONSES_PATH = EXTENSIONS.responses.path
const STORED_RESPONSE: Endpoint = { operation: STORED_RESPONSES, methods: ['GET', 'DELETE'] }
const INPUT_ITEMS: Endpoint = { operation: STORED_RESPONSES, methods: ['GET'] }

/** Finds the endpoint of a path that contains the ID of a stored response. */
export function findStoredResponse(endpoints: Endpoints, path: string): Endpoint | undefined {
  if (!path.startsWith(`${RESPONSES_PATH}/`) || !endpoints.has(RESPONSES_PATH)) return undefined
  const [id, list, ...others] = path.slice(RESPONSES_PATH.length + 1).split('/')
  if (id === '' || others.length > 0) return undefined
  if (list === undefined) return STORED_RESPONSE
  return list === 'input_items' ? INPUT_ITEMS : undefined
}
