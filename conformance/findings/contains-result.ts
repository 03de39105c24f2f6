import { isUtf8 } from 'node:buffer'
import { isRecord } from '../../common/schema/find-schema-problems.ts'
import type { Operation } from '../../contract/facts.ts'
import type { Exchange } from '../http/exchange.ts'
import { findOperationByPath } from '../requests/classify-request.ts'

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
  return isRecord(json) && RESULT_TESTS[operation](json)
}

/**
 * Tests for properties of the JSON result of each operation, by sections 2.3 to 2.5 and 4.1. JSON that a server sends
 * for every request passes none of them: the list `{"object":"list","data":[]}` is no completion and no image, and an
 * echo of the request is no completion, although both have a `model`.
 */
const RESULT_TESTS: Readonly<
  Record<Exclude<Operation, 'speech'>, (json: Readonly<Record<string, unknown>>) => boolean>
> = {
  models: (json) => 'object' in json || 'data' in json,
  chat: (json) => 'choices' in json || 'usage' in json || json['object'] === 'chat.completion',
  images: (json) => 'created' in json || (Array.isArray(json['data']) && json['data'].length > 0),
  transcriptions: (json) => 'text' in json,
}

function isBinary(bytes: Uint8Array): boolean {
  return !isUtf8(bytes) || bytes.some((byte) => byte < 0x20 && !WHITESPACE_BYTES.has(byte))
}
