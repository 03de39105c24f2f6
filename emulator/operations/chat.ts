import { PARAMETERS, TEMPERATURE } from '../../contract/facts.ts'
import { isRefusal, type Refusal } from '../core/api-errors.ts'
import { chatFrames } from './chat-frames.ts'
import { readMessages } from './chat-messages.ts'
import { complete, textOf, usageOf, type Completion } from './completion.ts'
import type { Answer, ReadContext, RequestFields, Work } from './operation.ts'
import { findModel, readParameters, requireWithin } from './parameters.ts'

/** POST /v1/chat/completions (section 4.2). */
export function readChat(fields: RequestFields, { settings }: ReadContext): Work | Refusal {
  const { decisions } = settings
  const values = readParameters(PARAMETERS.chat, fields, decisions)
  if (isRefusal(values)) return values
  const fault =
    requireWithin('max_tokens', values.max_tokens, decisions['least-max-tokens'], decisions['most-max-tokens']) ??
    requireWithin('temperature', values.temperature, TEMPERATURE.lowest, TEMPERATURE.highest)
  if (fault !== undefined) return fault
  const prompt = readMessages(values.messages, decisions)
  if (isRefusal(prompt)) return prompt
  const model = findModel(values.model, 'chat', decisions)
  if (isRefusal(model)) return model

  const { max_tokens: maxTokens, temperature, stream } = values
  const asked = asksForUsage(fields.values['stream_options'])
  const includeUsage = decisions['stream-usage'] === 'always' || (decisions['stream-usage'] === 'asked' && asked)
  return {
    operation: 'chat',
    model: model.id,
    // `stream` is left out: the same question gives the same text, streamed or not.
    fingerprint: `chat ${model.id} ${maxTokens} ${temperature} ${prompt.text}`,
    ceilingTokens: prompt.tokens + maxTokens,
    freeTokens: decisions['prompt-price'] === 'alike' ? 0 : prompt.tokens,
    generate(draw, created, scripted) {
      const known = { created, model: model.id, promptTokens: prompt.tokens }
      const completion = complete(draw, settings.answerTokens, maxTokens, known, scripted)
      return stream ? chatFrames(completion, includeUsage, decisions) : wholeCompletion(completion)
    },
  }
}

function wholeCompletion(completion: Completion): Answer {
  const { id, created, model, completionTokens, promptTokens, finishReason } = completion
  // By hand but for what has to be escaped, which takes half the time.
  const head = `"id":"${id}","object":"chat.completion","created":${created},"model":"${model}"`
  const message = `{"role":"assistant","content":${JSON.stringify(textOf(completion, 0, completionTokens))}}`
  const choice = `{"index":0,"message":${message},"finish_reason":${JSON.stringify(finishReason)}}`
  return {
    contentType: 'application/json',
    body: `{${head},"choices":[${choice}],"usage":${JSON.stringify(usageOf(completion))}}`,
    usedTokens: promptTokens + completionTokens,
    lastToken: completionTokens - 1,
  }
}

/** `stream_options.include_usage`: not in the document, but sent by common clients; anything else is ignored. */
function asksForUsage(streamOptions: unknown): boolean {
  return (
    typeof streamOptions === 'object' &&
    streamOptions !== null &&
    'include_usage' in streamOptions &&
    streamOptions.include_usage === true
  )
}
