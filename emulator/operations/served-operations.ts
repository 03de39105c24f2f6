import { OPERATIONS, type Operation } from '../../contract/facts.ts'

/** Operations outside the specification. The option `extensions` enables them; without it they are unknown endpoints. */
export const EXTENSIONS = {
  responses: { method: 'POST', path: '/v1/responses', body: 'json' },
  embeddings: { method: 'POST', path: '/v1/embeddings', body: 'json' },
} as const

/** An operation outside the specification. */
export type Extension = keyof typeof EXTENSIONS

/** An operation of the specification, or an extension. */
export type ServedOperation = Operation | Extension

/** Names of all operations, whether or not the extensions are enabled. */
export const SERVED_OPERATIONS: readonly string[] = [...Object.keys(OPERATIONS), ...Object.keys(EXTENSIONS)]

/** Returns true for an operation outside the specification. */
export function isExtension(operation: string): operation is Extension {
  return Object.hasOwn(EXTENSIONS, operation)
}

/** Returns true for the operations whose request is a conversation and whose response is a message. */
export function isChat(operation: ServedOperation): boolean {
  return operation === 'chat' || operation === 'responses'
}
