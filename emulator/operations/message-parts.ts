import { isJsonObject, toJsonObject } from '../../common/json-object.ts'
import type { SeededRandom } from '../state/seeded-random.ts'
import type { ScriptedMessage, ToolCall } from './operation.ts'
import { countTokens, splitTokens } from './text/count-tokens.ts'
import { deriveCallId } from './tool-call-ids.ts'

/**
 * A part of a message: a token of the reasoning or of the text, the start of a tool call, or a token of the call's
 * arguments. Each part counts as one token and is streamed as one chunk. A function name therefore counts as one token, regardless of its
 * length.
 */
export type MessagePart =
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  /** `text` is the name of the tool. `index` is the position of the call in the message. */
  | {
      readonly kind: 'call'
      readonly index: number
      readonly id: string
      readonly text: string
      readonly isCustom?: true
    }
  /** A token of a function's arguments, or of a custom tool's input. */
  | { readonly kind: 'arguments'; readonly index: number; readonly text: string; readonly isCustom?: true }

export type ToolCallPart = Exclude<MessagePart, { readonly kind: 'reasoning' } | { readonly kind: 'text' }>

/** Splits a message into its parts: first the reasoning, then the text, then each call with its arguments. */
export function splitMessage(
  { reasoning = '', text = '', toolCalls = [] }: ScriptedMessage,
  random: SeededRandom,
): MessagePart[] {
  const digits = toolCalls.every(({ id }) => id !== undefined) ? '' : random.hexDigits(24)
  return [
    ...splitTokens(reasoning).map((token): MessagePart => ({ kind: 'reasoning', text: token })),
    ...splitTokens(text).map((token): MessagePart => ({ kind: 'text', text: token })),
    ...toolCalls.flatMap(({ id, name, arguments: json, isCustom }, index): MessagePart[] => {
      const kind = isCustom ? { isCustom } : {}
      return [
        { kind: 'call', index, id: id ?? deriveCallId(digits, index), text: name, ...kind },
        ...splitTokens(json).map((token): MessagePart => ({ kind: 'arguments', index, text: token, ...kind })),
      ]
    }),
  ]
}

/** Counts the parts of a message. A call without a name continues an earlier call, as in a stream. */
export function countMessageTokens({ reasoning = '', text = '', toolCalls = [] }: ScriptedMessage): number {
  return toolCalls.reduce(
    (tokens, { name, arguments: json }) => tokens + (name === '' ? 0 : 1) + countTokens(json),
    countTokens(reasoning) + countTokens(text),
  )
}

/**
 * Creates the `tool_calls` of a non-streaming message. If `max_tokens` truncates a call, its arguments are incomplete.
 */
export function renderToolCalls(parts: readonly MessagePart[]): readonly RenderedToolCall[] {
  const calls: RenderedToolCall[] = []
  for (const part of parts) {
    if (part.kind === 'call') {
      const { id, text: name } = part
      calls.push(
        part.isCustom
          ? { id, type: 'custom', custom: { name, input: '' } }
          : { id, type: 'function', function: { name, arguments: '' } },
      )
    } else if (part.kind === 'arguments') {
      const call = calls[part.index]
      if (call?.type === 'function') call.function.arguments += part.text
      if (call?.type === 'custom') call.custom.input += part.text
    }
  }
  return calls
}

type RenderedToolCall =
  | { id: string; type: 'function'; function: { name: string; arguments: string } }
  | { id: string; type: 'custom'; custom: { name: string; input: string } }

/**
 * Creates the `delta` of a chunk. The first chunk of a call contains its id and name. Later chunks contain one token of
 * its arguments each.
 */
export function createToolCallDelta(part: ToolCallPart) {
  const { index, text } = part
  if (part.isCustom) {
    return part.kind === 'call'
      ? { tool_calls: [{ index, id: part.id, type: 'custom', custom: { name: text, input: '' } }] }
      : { tool_calls: [{ index, custom: { input: text } }] }
  }
  return part.kind === 'call'
    ? { tool_calls: [{ index, id: part.id, type: 'function', function: { name: text, arguments: '' } }] }
    : { tool_calls: [{ index, function: { arguments: text } }] }
}

/** Creates the `delta` of a chunk for a request with `functions`. The response has only one call. */
export function createFunctionCallDelta({ kind, text }: ToolCallPart) {
  return { function_call: kind === 'call' ? { name: text, arguments: '' } : { arguments: text } }
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
  if (!isJsonObject(call)) return []
  const { id, function: called, custom } = call
  const { name, arguments: json, input } = toJsonObject(called ?? custom)
  const text = json ?? input
  return [
    {
      ...(typeof id === 'string' ? { id } : {}),
      name: typeof name === 'string' ? name : '',
      arguments: typeof text === 'string' ? text : '',
      ...(called === undefined && custom !== undefined ? { isCustom: true } : {}),
    },
  ]
}
