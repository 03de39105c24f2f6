import { isUtf8 } from 'node:buffer'
import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import { findOperationByPath } from '../requests/classify-request.ts'

/** Properties of the JSON result of each operation, by sections 2.3 to 2.5 and 4.1. */
const RESULT_MEMBERS: Readonly<Record<Exclude<Operation, 'speech'>, readonly string[]>> = {
  models: ['object', 'data'],
  chat: ['id', 'object', 'created', 'model', 'choices', 'usage'],
  images: ['created', 'data'],
  transcriptions: ['text'],
}

/** Control characters that text may contain: tab, line feed and carriage return. */
const WHITESPACE_BYTES = new Set([0x09, 0x0a, 0x0d])

/**
 * Returns whether a body contains at least part of a result of its operation. This may be a property of the JSON
 * result, an event of a stream, or binary data for speech. A web page, an empty object and an empty body contain no
 * part of a result, regardless of the status. If the path belongs to no operation, every response counts as a result.
 */
export function containsResult({ request, json, body, events }: Exchange): boolean {
  const operation = findOperationByPath(request.path)
  if (operation === undefined) return true
  if (operation === 'speech') return isBinary(body)
  if (operation === 'chat' && events.some(({ data }) => data !== '[DONE]')) return true
  if (typeof json !== 'object' || json === null) return false
  return RESULT_MEMBERS[operation].some((name) => Object.hasOwn(json, name))
}

function isBinary(bytes: Uint8Array): boolean {
  return !isUtf8(bytes) || bytes.some((byte) => byte < 0x20 && !WHITESPACE_BYTES.has(byte))
}
