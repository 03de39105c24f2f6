import type { Exchange } from '../../http/exchange.ts'
import type { ToolCallProblem } from '../../findings/agents.ts'
import type { Deviation } from '../../findings/families.ts'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import { getItems, getMember, isNonEmptyString } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'

/** A tool call of a message, with values as the target sent them, even if their types are incorrect. */
export interface ToolCall {
  readonly id: unknown
  readonly type: unknown
  readonly name: unknown
  readonly arguments: unknown
}

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

/** A part of a tool call, from one chunk of a stream. */
export interface CallDelta extends ToolCall {
  readonly index: unknown
}

/** All deltas of one call in their order, at least one. */
export type StreamedCall = readonly [CallDelta, ...CallDelta[]]

/**
 * Reads the tool calls of a stream. Deltas with the same index belong to one call, unless their IDs differ. A delta
 * without an index belongs to the last call, unless its ID differs. Does not require correct indexes, because other
 * checks report those.
 */
export function readStreamedCalls(response: Exchange): readonly StreamedCall[] {
  const calls: [CallDelta, ...CallDelta[]][] = []
  for (const { json } of parseStream(response).withChoice) {
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
  const isSameId = !isNonEmptyString(id) || !isNonEmptyString(first.id) || id === first.id
  if (!isSameId) return false
  return typeof index === 'number' ? index === first.index : !isNonEmptyString(id) || id === first.id
}

/** Joins the argument deltas of a streamed call, or returns undefined if a delta is not a string. */
export function joinArguments(call: StreamedCall): string | undefined {
  const parts = call.map((delta) => delta.arguments ?? '')
  return parts.every((part) => typeof part === 'string') ? parts.join('') : undefined
}

/** Creates the deviation of a malformed tool call. `actual` is the incorrect value, if there is one. */
export function createMalformedCall(problem: ToolCallProblem, actual?: unknown): Deviation {
  const params = actual === undefined ? { problem } : { problem, actual: createExcerpt(actual) }
  return { code: 'tool-call-malformed', params }
}
