import { type Operation, OPERATION_NAMES } from '../../contract/facts.ts'

/**
 * Operations outside the specification. Unless the option `extensions` enables them, their paths are unknown endpoints.
 */
export const EXTENSIONS = {
  responses: { method: 'POST', path: '/v1/responses', body: 'json' },
  embeddings: { method: 'POST', path: '/v1/embeddings', body: 'json' },
} as const

export type ExtensionName = keyof typeof EXTENSIONS

/** Operation of the extension `responses` that reads or deletes a stored response. It is free. */
export const STORED_RESPONSES = 'stored-responses'

export type ServedOperationName = Operation | ExtensionName | typeof STORED_RESPONSES

/** Names of all operations, whether or not the extensions are enabled. */
export const SERVED_OPERATIONS: readonly string[] = [...OPERATION_NAMES, ...Object.keys(EXTENSIONS), STORED_RESPONSES]

export function isExtension(operation: string): operation is ExtensionName {
  return Object.hasOwn(EXTENSIONS, operation)
}

/**
 * Returns false for operations that generate nothing: the list of models, which comes from the specification, and stored
 * responses.
 */
export function generatesContent(operation: ServedOperationName): boolean {
  return operation !== 'models' && operation !== STORED_RESPONSES
}

/** Returns true for operations whose request contains a conversation and whose response contains a message. */
export function isChatOperation(operation: ServedOperationName): boolean {
  return operation === 'chat' || operation === 'responses'
}
