import type { TokenProbability } from '../../operations/log-probabilities.ts'

/** A message of the chat request into which a request of POST /v1/responses is converted. */
export interface ChatMessage {
  readonly role: string
  /** Text, or a list of content parts if any of them is not text. Null for a message that contains only tool calls. */
  readonly content: string | null | readonly ContentPart[]
  readonly tool_calls?: readonly ChatToolCall[]
  readonly tool_call_id?: string
}

/** A content part of a chat message. Parts other than text keep their fields. */
export interface ContentPart {
  readonly type: string
  readonly [field: string]: unknown
}

/** A call of a function, or of a custom tool, in a converted chat message. */
export interface ChatToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export interface MessageItem {
  readonly id: string
  readonly type: 'message'
  readonly status: ItemStatus
  readonly role: 'assistant'
  readonly content: readonly OutputText[]
}

export interface OutputText {
  readonly type: 'output_text'
  readonly annotations: readonly never[]
  /** Empty unless the request includes log probabilities. */
  readonly logprobs: readonly TokenProbability[]
  readonly text: string
}

/** Reasoning before the message, as a summary of one part. */
export interface ReasoningItem {
  readonly id: string
  readonly type: 'reasoning'
  readonly status: ItemStatus
  readonly summary: readonly [] | readonly [{ readonly type: 'summary_text'; readonly text: string }]
}

export interface FunctionCallItem {
  readonly id: string
  readonly type: 'function_call'
  readonly status: ItemStatus
  /** Arguments as JSON text. The text is incomplete if the response is truncated. */
  readonly arguments: string
  readonly call_id: string
  readonly name: string
  /** Namespace of the called tool, if the request offers the tool in a namespace. */
  readonly namespace?: string
}

export interface CustomToolCallItem {
  readonly id: string
  readonly type: 'custom_tool_call'
  readonly status: ItemStatus
  /** Plain text. The text is incomplete if the response is truncated. */
  readonly input: string
  readonly call_id: string
  readonly name: string
  /** Namespace of the called tool, if the request offers the tool in a namespace. */
  readonly namespace?: string
}

/** The call of a tool that the API defines and the client executes, such as `shell`. */
export interface ClientToolCallItem {
  readonly id: string
  readonly type: 'tool_search_call' | 'shell_call' | 'local_shell_call' | 'apply_patch_call' | 'computer_call'
  readonly status: ItemStatus
  readonly call_id: string
  /** The arguments, in a field whose name depends on the type. */
  readonly [field: string]: unknown
}

export type CallItem = FunctionCallItem | CustomToolCallItem | ClientToolCallItem

export type OutputItem = ReasoningItem | MessageItem | CallItem
