import { EncodedText, toByteString } from '../../../common/byte-string.ts'
import {
  createUsage,
  getMessagePart,
  getReasoningText,
  getReasoningUsage,
  getTextLiteral,
  sumCompletionTokens,
  type Choices,
  type Completion,
} from '../completion.ts'
import { renderLogProbabilities } from '../log-probabilities.ts'
import { renderToolCalls } from '../message-parts.ts'
import type { GeneratedBody } from '../operation.ts'

/** Value of `system_fingerprint`, which names the version of a model's configuration. */
export const SYSTEM_FINGERPRINT = 'fp_touchstone'

/** Serializes one choice of a non-streaming completion, as a byte string. */
function renderChoice(completion: Completion, index: number): string {
  const { completionTokens, finishReason } = completion
  const text = getTextLiteral(completion, 0, completionTokens)
  const calls = completion.parts === undefined ? [] : renderToolCalls(completion.parts.slice(0, completionTokens))
  const content = text === '""' && calls.length > 0 ? 'null' : text
  const [first] = calls
  const field = completion.hasLegacyCall ? 'function_call' : 'tool_calls'
  const value = completion.hasLegacyCall && first?.type === 'function' ? first.function : calls
  const toolCalls = first === undefined ? '' : `,"${field}":${toByteString(JSON.stringify(value))}`
  const reasoning = renderReasoning(completion)
  const refusal = completion.hasSdkFields ? ',"refusal":null' : ''
  const message = `{"role":"assistant","content":${content}${reasoning}${refusal}${toolCalls}}`
  const hasLogprobs = completion.hasSdkFields || completion.logprobs !== undefined
  const logprobs = hasLogprobs ? `,"logprobs":${renderTextLogProbabilities(completion)}` : ''
  return `{"index":${index},"message":${message}${logprobs},"finish_reason":${JSON.stringify(finishReason)}}`
}

/** Serializes the field with the reasoning, as a byte string, if the message has one. */
function renderReasoning(completion: Completion): string {
  const { reasoning } = completion
  if (reasoning === undefined || reasoning.form === 'hidden') return ''
  return `,"${reasoning.form}":${toByteString(JSON.stringify(getReasoningText(completion)))}`
}

/** Serializes the log probabilities of a completion's text, as a byte string. The result is `null` if there is no text. */
function renderTextLogProbabilities(completion: Completion): string {
  const parts = Array.from({ length: completion.completionTokens }, (_, token) => getMessagePart(completion, token))
  const tokens = parts.flatMap(({ kind, text }) => (kind === 'text' ? text : []))
  return completion.logprobs === undefined || tokens.length === 0
    ? 'null'
    : toByteString(renderLogProbabilities(completion.logprobs, tokens))
}

/** Creates the body of a non-streaming completion. It is due with the last token of the longest choice. */
export function createCompletionBody(choices: Choices): GeneratedBody {
  const total = sumCompletionTokens(choices)
  const { id, created, model, completionTokens, promptTokens } = total
  const longest = Math.max(...choices.map((choice) => choice.completionTokens))
  // String concatenation takes half the time of JSON.stringify. `id` and `model` contain no characters that need
  // escaping.
  const fingerprint = total.hasSdkFields ? `,"system_fingerprint":"${SYSTEM_FINGERPRINT}"` : ''
  const head = toByteString(
    `"id":"${id}","object":"chat.completion","created":${created},"model":"${model}"${fingerprint}`,
  )
  const rendered = choices.map(renderChoice).join(',')
  return {
    contentType: 'application/json',
    body: new EncodedText(
      `{${head},"choices":[${rendered}],"usage":${toByteString(JSON.stringify(createUsage(total)))}}`,
    ),
    usedTokens: promptTokens + completionTokens,
    reasoningTokens: getReasoningUsage(total),
    lastToken: longest - 1,
  }
}
