import type { Exchange } from '../../http/exchange.ts'
import { getItems, getMember } from '../response-access.ts'
import { readStream } from '../stream.ts'

/** A tool call of a message. Members have the values of the response, even if their types are wrong. */
export interface ToolCall {
  readonly id: unknown
  readonly type: unknown
  readonly name: unknown
  readonly arguments: unknown
}

/** Reads the tool calls of a completion without stream. */
export function readMessageCalls({ json }: Exchange): readonly ToolCall[] {
  return getItems(getMember(json, 'choices', 0, 'message', 'tool_calls')).map(readCall)
}

function readCall(call: unknown): ToolCall {
  return {
    id: getMember(call, 'id'),
    type: getMember(call, 'type'),
    name: getMember(call, 'function', 'name'),
    arguments: getMember(call, 'function', 'arguments'),
  }
}

/** One delta of a tool call in a stream. */
export interface CallDelta extends ToolCall {
  readonly index: unknown
}

/** The deltas of one call, in their order. There is at least one. */
export type StreamedCall = readonly [CallDelta, ...CallDelta[]]

/**
 * Reads the tool calls of a stream. A delta belongs to the call with its index. A delta starts a new call if its id
 * differs from the id of that call, or if it has an id and no index. A wrong index is a separate finding.
 */
export function readStreamedCalls(response: Exchange): readonly StreamedCall[] {
  const calls: [CallDelta, ...CallDelta[]][] = []
  for (const { json } of readStream(response).withChoice) {
    for (const item of getItems(getMember(json, 'choices', 0, 'delta', 'tool_calls'))) {
      const delta: CallDelta = { ...readCall(item), index: getMember(item, 'index') }
      const call = calls.findLast((one) => continues(delta, one))
      if (call === undefined) calls.push([delta])
      else call.push(delta)
    }
  }
  return calls
}

function continues({ id, index }: CallDelta, [first]: StreamedCall): boolean {
  const isSameId = !isText(id) || !isText(first.id) || id === first.id
  if (!isSameId) return false
  return typeof index === 'number' ? index === first.index : !isText(id) || id === first.id
}

/** Joins the arguments of a streamed call. Null and absent parts count as empty. Undefined if a part is not a text. */
export function joinArguments(call: StreamedCall): string | undefined {
  const parts = call.map((delta) => delta.arguments ?? '')
  return parts.every((part) => typeof part === 'string') ? parts.join('') : undefined
}

/** Returns true for a text that is not empty. Some services send an empty text where others send nothing. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Parses a JSON text. Undefined if it is not JSON. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
