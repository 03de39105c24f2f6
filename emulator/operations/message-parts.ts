import type { SeededRandom } from '../state/seeded-random.ts'
import type { ScriptedMessage, ToolCall } from './operation.ts'
import { countTokens, splitTokens } from './text/count-tokens.ts'

/**
 * A part of a message: a token of the text, the start of a tool call, or a token of the call's arguments. Each part
 * counts as one token and is streamed as one chunk. A function name therefore counts as one token, regardless of its
 * length.
 */
export type MessagePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `text` is the name of the function. `index` is the position of the call in the message. */
  | { readonly kind: 'call'; readonly index: number; readonly id: string; readonly text: string }
  | { readonly kind: 'arguments'; readonly index: number; readonly text: string }

/** Splits a message into its parts: first the text, then each call with its arguments. */
export function splitMessage({ text = '', toolCalls = [] }: ScriptedMessage, random: SeededRandom): MessagePart[] {
  return [
    ...splitTokens(text).map((token): MessagePart => ({ kind: 'text', text: token })),
    ...toolCalls.flatMap(({ id, name, arguments: json }, index): MessagePart[] => [
      { kind: 'call', index, id: id ?? `call_${random.hexDigits(24)}`, text: name },
      ...splitTokens(json).map((token): MessagePart => ({ kind: 'arguments', index, text: token })),
    ]),
  ]
}

/** Counts the parts of a message. A call without a name continues an earlier call, as in a stream. */
export function countMessageTokens({ text = '', toolCalls = [] }: ScriptedMessage): number {
  return toolCalls.reduce(
    (tokens, { name, arguments: json }) => tokens + (name === '' ? 0 : 1) + countTokens(json),
    countTokens(text),
  )
}

/**
 * Creates the `tool_calls` of a non-streaming message. If `max_tokens` truncates a call, its arguments are incomplete.
 */
export function renderToolCalls(parts: readonly MessagePart[]) {
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = []
  for (const part of parts) {
    if (part.kind === 'call') {
      calls.push({ id: part.id, type: 'function', function: { name: part.text, arguments: '' } })
    } else if (part.kind === 'arguments') {
      const call = calls[part.index]
      if (call !== undefined) call.function.arguments += part.text
    }
  }
  return calls
}

/**
 * Creates the `delta` of a chunk. The first chunk of a call contains its id and name. Later chunks contain one token of
 * its arguments each.
 */
export function createToolCallDelta(part: Exclude<MessagePart, { kind: 'text' }>) {
  const { index, text } = part
  return part.kind === 'call'
    ? { tool_calls: [{ index, id: part.id, type: 'function', function: { name: text, arguments: '' } }] }
    : { tool_calls: [{ index, function: { arguments: text } }] }
}

/**
 * Counts the tokens of the tool calls in an earlier assistant message, in the same way as for generated calls. Ignores
 * invalid values.
 */
export function countToolCallTokens(calls: readonly unknown[]): number {
  return countMessageTokens({ toolCalls: calls.flatMap(readToolCall) })
}

/** Reads a tool call of a message in a request or a response. Returns an empty list if the value is not an object. */
export function readToolCall(call: unknown): ToolCall[] {
  if (typeof call !== 'object' || call === null) return []
  const { id, function: called }: { id?: unknown; function?: unknown } = call
  const { name, arguments: text }: { name?: unknown; arguments?: unknown } =
    typeof called === 'object' && called !== null ? called : {}
  return [
    {
      ...(typeof id === 'string' ? { id } : {}),
      name: typeof name === 'string' ? name : '',
      arguments: typeof text === 'string' ? text : '',
    },
  ]
}
