import { PARAMETERS, TEMPERATURE } from '../../contract/facts.ts'
import { invalidParameter, isRefusal, type Refusal } from '../refusals.ts'
import { chatFrames } from './chat-frames.ts'
import { readMessages } from './chat-messages.ts'
import { complete, textOf, usageOf, type Completion } from './completion.ts'
import type { Answer, ReadContext, RequestFields, Work } from './operation.ts'
import { findModel, readParameters } from './parameters.ts'

/** Largest `max_tokens` that is served; the document shows no bound (section 8). */
const MOST_TOKENS = 131_072

/** POST /v1/chat/completions (section 4.2). */
export function readChat(fields: RequestFields, { settings }: ReadContext): Work | Refusal {
  const values = readParameters(PARAMETERS.chat, fields)
  if (isRefusal(values)) return values
  const fault = findFault(values.max_tokens, values.temperature)
  if (fault !== undefined) return fault
  const prompt = readMessages(values.messages)
  if (isRefusal(prompt)) return prompt
  const model = findModel(values.model)
  if (isRefusal(model)) return model

  const { max_tokens: maxTokens, temperature, stream } = values
  const includeUsage = asksForUsage(fields.values['stream_options'])
  return {
    operation: 'chat',
    model: model.id,
    // `stream` is left out: the same question gives the same text, streamed or not.
    fingerprint: `chat ${model.id} ${maxTokens} ${temperature} ${prompt.text}`,
    ceilingTokens: prompt.tokens + maxTokens,
    generate(draw, created) {
      const completion = complete(draw, settings.answerTokens, maxTokens, {
        created,
        model: model.id,
        promptTokens: prompt.tokens,
      })
      return stream ? chatFrames(completion, includeUsage) : wholeCompletion(completion)
    },
  }
}

function findFault(maxTokens: number, temperature: number): Refusal | undefined {
  if (maxTokens < 1 || maxTokens > MOST_TOKENS) {
    return invalidParameter('max_tokens', `'max_tokens' must be from 1 to ${MOST_TOKENS}, not ${maxTokens}.`)
  }
  const { lowest, highest } = TEMPERATURE
  if (temperature < lowest || temperature > highest) {
    return invalidParameter('temperature', `'temperature' must be from ${lowest} to ${highest}, not ${temperature}.`)
  }
  return undefined
}

function wholeCompletion(completion: Completion): Answer {
  const { id, created, model, completionTokens, promptTokens, finishReason } = completion
  const message = { role: 'assistant', content: textOf(completion, 0, completionTokens) }
  const choices = [{ index: 0, message, finish_reason: finishReason }]
  return {
    contentType: 'application/json',
    body: JSON.stringify({ id, object: 'chat.completion', created, model, choices, usage: usageOf(completion) }),
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
