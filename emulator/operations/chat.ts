import { PARAMETERS, TEMPERATURE } from '../../contract/facts.ts'
import { isApiError, type ApiError } from '../core/api-errors.ts'
import { createChatStream } from './chat-stream.ts'
import { parseMessages } from './chat-messages.ts'
import { planCompletion, completionText, createUsage, type Completion } from './completion.ts'
import type { GeneratedResponse, OperationContext, RequestFields, PreparedOperation } from './operation.ts'
import { findModel, parseParameters, checkRange } from './parameters.ts'

/** Prepares POST /v1/chat/completions (section 4.2). */
export function prepareChat(fields: RequestFields, { settings }: OperationContext): PreparedOperation | ApiError {
  const { behaviour } = settings
  const values = parseParameters(PARAMETERS.chat, fields, behaviour)
  if (isApiError(values)) return values
  const error =
    checkRange('max_tokens', values.max_tokens, behaviour['least-max-tokens'], behaviour['most-max-tokens']) ??
    checkRange('temperature', values.temperature, TEMPERATURE.lowest, TEMPERATURE.highest)
  if (error !== undefined) return error
  const prompt = parseMessages(values.messages, behaviour)
  if (isApiError(prompt)) return prompt
  const model = findModel(values.model, 'chat', behaviour)
  if (isApiError(model)) return model

  const { max_tokens: maxTokens, temperature, stream } = values
  const isRequested = requestsUsage(fields.values['stream_options'])
  const includeUsage = behaviour['stream-usage'] === 'always' || (behaviour['stream-usage'] === 'asked' && isRequested)
  return {
    operation: 'chat',
    model: model.id,
    // `stream` is left out, so that a request gets the same text with and without streaming.
    fingerprint: `chat ${model.id} ${maxTokens} ${temperature} ${prompt.text}`,
    maxUsedTokens: prompt.tokens + maxTokens,
    freeTokens: behaviour['prompt-price'] === 'alike' ? 0 : prompt.tokens,
    generate(random, created, scripted) {
      const base = { created, model: model.id, promptTokens: prompt.tokens }
      const completion = planCompletion(random, settings.answerTokens, maxTokens, base, scripted)
      return stream ? createChatStream(completion, includeUsage, behaviour) : createCompletionBody(completion)
    },
  }
}

function createCompletionBody(completion: Completion): GeneratedResponse {
  const { id, created, model, completionTokens, promptTokens, finishReason } = completion
  // Concatenating takes half the time of JSON.stringify. Only text from outside needs escaping.
  const head = `"id":"${id}","object":"chat.completion","created":${created},"model":"${model}"`
  const message = `{"role":"assistant","content":${JSON.stringify(completionText(completion, 0, completionTokens))}}`
  const choice = `{"index":0,"message":${message},"finish_reason":${JSON.stringify(finishReason)}}`
  return {
    contentType: 'application/json',
    body: `{${head},"choices":[${choice}],"usage":${JSON.stringify(createUsage(completion))}}`,
    usedTokens: promptTokens + completionTokens,
    lastToken: completionTokens - 1,
  }
}

/**
 * Returns true for `stream_options.include_usage`, which common clients send although it is not in the specification.
 * Any other value is ignored.
 */
function requestsUsage(streamOptions: unknown): boolean {
  return (
    typeof streamOptions === 'object' &&
    streamOptions !== null &&
    'include_usage' in streamOptions &&
    streamOptions.include_usage === true
  )
}
