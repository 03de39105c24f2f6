/** The fields of a completion, or of a chunk of a stream, that the gateway reads. Other fields pass unchanged. */
export interface Completion {
  id?: string
  model?: string
  choices?: Choice[]
  usage?: Usage | null
  error?: unknown
}

export interface Choice {
  index?: number
  message?: Message
  delta?: Message
  finish_reason?: string | null
  logprobs?: unknown
}

export interface Message {
  role?: string
  content?: string | null
  refusal?: string | null
  tool_calls?: ToolCall[]
  function_call?: unknown
  reasoning_content?: string | null
  reasoning?: string | null
}

export interface ToolCall {
  index?: number
  id?: string
  type?: string
  function?: { name?: string; arguments?: unknown }
}

export interface Usage {
  prompt_tokens?: number
  completion_tokens?: number
  total_tokens?: number
  prompt_tokens_details?: unknown
  completion_tokens_details?: unknown
}

export function isPresent<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null
}

export function parseCompletion(text: string): Completion | undefined {
  return parseObject(text)
}

/** Parses a JSON object. Returns undefined for other texts. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Creates a completion, or the last chunk of a stream, that a gateway invents. */
export function createCompletion(content: string, object: 'chat.completion' | 'chat.completion.chunk'): object {
  const message = { role: 'assistant', content }
  const choice = object === 'chat.completion' ? { message } : { delta: message }
  return {
    id: 'chatcmpl-gateway',
    object,
    created: Math.floor(Date.now() / 1000),
    model: 'gateway',
    choices: [{ index: 0, ...choice, finish_reason: 'stop' }],
    ...(object === 'chat.completion' && { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }),
  }
}
