import {
  createUsage,
  getCompletionText,
  getMessagePart,
  getReasoningText,
  getReasoningUsage,
  sumCompletionTokens,
  type Choices,
  type Completion,
} from '../completion.ts'
import { renderLogProbabilities } from '../log-probabilities.ts'
import { renderToolCalls } from '../message-parts.ts'
import type { GeneratedBody } from '../operation.ts'

/** Value of `system_fingerprint`, which names the version of a model's configuration. */
export const SYSTEM_FINGERPRINT = 'fp_touchstone'

/** Serializes one choice of a non-streaming completion. */
function renderChoice(completion: Completion, index: number): string {
  const { completionTokens, finishReason } = completion
  const text = getCompletionText(completion, 0, completionTokens)
  const calls = completion.parts === undefined ? [] : renderToolCalls(completion.parts.slice(0, completionTokens))
  const content = text === '' && calls.length > 0 ? null : text
  const [first] = calls
  const field = completion.hasLegacyCall ? 'function_call' : 'tool_calls'
  const value = completion.hasLegacyCall && first?.type === 'function' ? first.function : calls
  const toolCalls = first === undefined ? '' : `,"${field}":${JSON.stringify(value)}`
  const reasoning = renderReasoning(completion)
  const refusal = completion.hasSdkFields ? ',"refusal":null' : ''
  const message = `{"role":"assistant","content":${JSON.stringify(content)}${reasoning}${refusal}${toolCalls}}`
  const hasLogprobs = completion.hasSdkFields || completion.logprobs !== undefined
  const logprobs = hasLogprobs ? `,"logprobs":${renderTextLogProbabilities(completion)}` : ''
  return `{"index":${index},"message":${message}${logprobs},"finish_reason":${JSON.stringify(finishReason)}}`
}

/** Serializes the field with the reasoning, if the message has one. */
function renderReasoning(completion: Completion): string {
  const { reasoning } = completion
  if (reasoning === undefined || reasoning.form === 'hidden') return ''
  return `,"${reasoning.form}":${JSON.stringify(getReasoningText(completion))}`
}

/** Serializes the log probabilities of a completion's text. The result is `null` if there is no text. */
function renderTextLogProbabilities(completion: Completion): string {
  const parts = Array.from({ length: completion.completionTokens }, (_, token) => getMessagePart(completion, token))
  const tokens = parts.flatMap(({ kind, text }) => (kind === 'text' ? text : []))
  return completion.logprobs === undefined || tokens.length === 0
    ? 'null'
    : renderLogProbabilities(completion.logprobs, tokens)
}

/** Creates the body of a non-streaming completion. It is due with the last token of the longest choice. */
export function createCompletionBody(choices: Choices): GeneratedBody {
  const total = sumCompletionTokens(choices)
  const { id, created, model, completionTokens, promptTokens } = total
  const longest = Math.max(...choices.map((choice) => choice.completionTokens))
  // String concatenation takes half the time of JSON.stringify. `id` and `model` contain no characters that need
  // escaping.
  const fingerprint = total.hasSdkFields ? `,"system_fingerprint":"${SYSTEM_FINGERPRINT}"` : ''
  const head = `"id":"${id}","object":"chat.completion","created":${created},"model":"${model}"${fingerprint}`
  const rendered = choices.map(renderChoice).join(',')
  return {
    contentType: 'application/json',
    body: `{${head},"choices":[${rendered}],"usage":${JSON.stringify(createUsage(total))}}`,
    usedTokens: promptTokens + completionTokens,
    reasoningTokens: getReasoningUsage(total),
    lastToken: longest - 1,
  }
}
