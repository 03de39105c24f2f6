import { getCompletionText, getReasoningText, type Completion } from '../../operations/completion.ts'
import { createLogProbabilities } from '../../operations/log-probabilities.ts'
import { renderToolCalls } from '../../operations/message-parts.ts'
import type {
  ChatMessage,
  CallItem,
  CustomToolCallItem,
  FunctionCallItem,
  MessageItem,
  OutputItem,
  OutputText,
  ReasoningItem,
} from './response-items.ts'
import type { ToolFields } from './read-tools.ts'
import { createClientToolCall, readClientToolCall } from './client-tools.ts'

/** A complete output item, and the number of tokens that the stream sends as its deltas. */
export interface PlannedOutputItem {
  readonly item: OutputItem
  readonly deltaTokens: number
}

/** Builds the ID of a response: `resp_` and the digits of the completion's ID. */
export function createResponseId({ id }: Completion): string {
  return `resp_${getDigits(id)}`
}

function getDigits(completionId: string): string {
  return completionId.replace(/^chatcmpl-/, '')
}

/**
 * Creates the output items of a completion: first its reasoning, then its text, then its tool calls. The last item may
 * be truncated.
 */
export function planOutputItems(
  completion: Completion,
  { namespaces, clientTools }: Pick<ToolFields, 'namespaces' | 'clientTools'>,
): readonly PlannedOutputItem[] {
  const { completionTokens, finishReason } = completion
  const parts = completion.parts?.slice(0, completionTokens)
  const calls = parts === undefined ? [] : renderToolCalls(parts)
  const textTokens = parts === undefined ? completionTokens : parts.filter(({ kind }) => kind === 'text').length
  const reasoningTokens = completion.reasoning?.tokens ?? 0
  // If `max_tokens` truncates the reasoning, there is no message.
  const hasMessage = textTokens > 0 || (calls.length === 0 && reasoningTokens < Math.max(completionTokens, 1))
  const count = calls.length + (hasMessage ? 1 : 0) + (reasoningTokens > 0 ? 1 : 0)
  const digits = getDigits(completion.id)
  const isCut = finishReason === 'length' || finishReason === 'content_filter'
  const statusOf = (index: number): MessageItem['status'] => (isCut && index === count - 1 ? 'incomplete' : 'completed')
  const planned: PlannedOutputItem[] = []
  if (reasoningTokens > 0) {
    const text = getReasoningText(completion)
    const summary = text === '' ? ([] as const) : ([{ type: 'summary_text', text }] as const)
    const item: ReasoningItem = { id: `rs_${digits}_0`, type: 'reasoning', status: statusOf(0), summary }
    planned.push({ item, deltaTokens: reasoningTokens })
  }
  if (hasMessage) {
    const index = planned.length
    const text = getCompletionText(completion, 0, reasoningTokens + textTokens)
    const item: MessageItem = {
      id: `msg_${digits}_${index}`,
      type: 'message',
      status: statusOf(index),
      role: 'assistant',
      content: [createOutputText(text, planLogProbabilities(completion, reasoningTokens, textTokens))],
    }
    planned.push({ item, deltaTokens: textTokens })
  }
  for (const [position, call] of calls.entries()) {
    const index = planned.length
    const { name } = call.type === 'custom' ? call.custom : call.function
    const deltaTokens = (parts ?? []).filter((part) => part.kind === 'arguments' && part.index === position).length
    const isClientTool = call.type === 'function' && clientTools.includes(name)
    const place = { status: statusOf(index), call_id: call.id, idSuffix: `${digits}_${index}` }
    const clientCall = isClientTool ? createClientToolCall(name, call.function.arguments, place) : undefined
    if (clientCall !== undefined) {
      planned.push({ item: clientCall, deltaTokens })
      continue
    }
    const common = { status: statusOf(index), call_id: call.id, ...(namespaces.get(name) ?? { name }) }
    const item: FunctionCallItem | CustomToolCallItem =
      call.type === 'custom'
        ? { id: `ctc_${digits}_${index}`, type: 'custom_tool_call', ...common, input: call.custom.input }
        : { id: `fc_${digits}_${index}`, type: 'function_call', ...common, arguments: call.function.arguments }
    planned.push({ item, deltaTokens })
  }
  return planned
}

function planLogProbabilities(completion: Completion, start: number, textTokens: number): OutputText['logprobs'] {
  const { logprobs } = completion
  if (logprobs === undefined) return []
  const tokens = Array.from({ length: textTokens }, (_, token) =>
    getCompletionText(completion, start + token, start + token + 1),
  )
  return createLogProbabilities(logprobs, tokens, 0)
}

export function createOutputText(text: string, logprobs: OutputText['logprobs'] = []): OutputText {
  return { type: 'output_text', annotations: [], logprobs, text }
}

/** Converts output items to the assistant message with which the conversation continues. */
export function createAssistantMessage(output: readonly OutputItem[]): ChatMessage {
  const texts = output.flatMap((item) => (item.type === 'message' ? item.content.map(({ text }) => text) : []))
  const calls = output.flatMap((item) => {
    if (item.type === 'message' || item.type === 'reasoning') return []
    return [{ id: item.call_id, type: 'function' as const, function: readCall(item) }]
  })
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join('\n'),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function readCall(item: CallItem): { readonly name: string; readonly arguments: string } {
  switch (item.type) {
    case 'custom_tool_call':
      return { name: item.name, arguments: item.input }
    case 'function_call':
      return { name: item.name, arguments: item.arguments }
    default:
      return readClientToolCall(item) ?? { name: '', arguments: '' }
  }
}
