/** A message of the chat request that is equivalent to a request for a response. */
export interface ChatMessage {
  readonly role: string
  /** Text, or content parts if one of them is not a text. Null for a message that only calls tools. */
  readonly content: string | null | readonly ContentPart[]
  readonly tool_calls?: readonly ChatToolCall[]
  readonly tool_call_id?: string
}

/** A content part of a chat message. Parts other than texts are passed on with their fields. */
export interface ContentPart {
  readonly type: string
  readonly [field: string]: unknown
}

export interface ChatToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** The message of a response. */
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
  readonly logprobs: readonly never[]
  readonly text: string
}

/** A function call of a response. */
export interface FunctionCallItem {
  readonly id: string
  readonly type: 'function_call'
  readonly status: ItemStatus
  /** JSON text. Incomplete if the response is truncated. */
  readonly arguments: string
  readonly call_id: string
  readonly name: string
}

export type OutputItem = MessageItem | FunctionCallItem
