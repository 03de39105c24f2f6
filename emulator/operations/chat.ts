import { MESSAGE_ROLES, PARAMETERS, TEMPERATURE_RANGE } from '../../contract/facts.ts'
import { createParameterError, isApiError, type ApiError } from '../core/api-errors.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import { createChatStream, createCompletionBody, planCompletion, type Completion } from './completion.ts'
import type { GeneratedResponse, OperationContext, RequestFields, PreparedOperation } from './operation.ts'
import { findModel, parseParameters, checkRange } from './parameters.ts'
import { countTokens } from './text/count-tokens.ts'

/** Options of the response to a chat request. */
export interface ChatFormat {
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly behaviour: BehaviourOptions
}

/**
 * Validates a request of POST /v1/chat/completions (section 4.2).
 * @param render converts the completion to a response
 */
export function prepareChat(
  fields: RequestFields,
  { settings }: OperationContext,
  render: (completion: Completion, format: ChatFormat) => GeneratedResponse = renderCompletion,
): PreparedOperation | ApiError {
  const { behaviour } = settings
  const values = parseParameters(PARAMETERS.chat, fields, behaviour)
  if (isApiError(values)) return values
  const error =
    checkRange('max_tokens', values.max_tokens, behaviour['least-max-tokens'], behaviour['most-max-tokens']) ??
    checkRange('temperature', values.temperature, TEMPERATURE_RANGE.lowest, TEMPERATURE_RANGE.highest)
  if (error !== undefined) return error
  const prompt = parseMessages(values.messages, behaviour)
  if (isApiError(prompt)) return prompt
  const model = findModel(values.model, 'chat', settings)
  if (isApiError(model)) return model

  const { max_tokens: maxTokens, temperature, stream } = values
  const isRequested = isUsageRequested(fields.values['stream_options'])
  const includeUsage = behaviour['stream-usage'] === 'always' || (behaviour['stream-usage'] === 'asked' && isRequested)
  return {
    operation: 'chat',
    model: model.id,
    unitsPerToken: model.unitsPerToken,
    // `stream` is not part of the fingerprint, so a request gets the same text with and without streaming.
    fingerprint: `chat ${model.id} ${maxTokens} ${temperature} ${prompt.text}`,
    maxUsedTokens: prompt.tokens + maxTokens,
    freeTokens: behaviour['prompt-price'] === 'alike' ? 0 : prompt.tokens,
    generate(random, created, scripted) {
      const base = { created, model: model.id, promptTokens: prompt.tokens, maxUsedTokens: prompt.tokens + maxTokens }
      const completion = planCompletion(random, settings.answerTokens, maxTokens, base, scripted)
      return render(completion, { stream, includeUsage, behaviour })
    },
  }
}

function renderCompletion(completion: Completion, { stream, includeUsage, behaviour }: ChatFormat): GeneratedResponse {
  return stream ? createChatStream(completion, includeUsage, behaviour) : createCompletionBody(completion)
}

/**
 * Returns true if `stream_options.include_usage` is true. The specification does not define it, but common clients send
 * it. Other values are ignored.
 */
function isUsageRequested(streamOptions: unknown): boolean {
  return (
    typeof streamOptions === 'object' &&
    streamOptions !== null &&
    'include_usage' in streamOptions &&
    streamOptions.include_usage === true
  )
}

/** Accepted roles for each value of the option `roles`; undefined accepts any string. */
const ROLES: Readonly<Record<BehaviourOptions['roles'], readonly string[] | undefined>> = {
  documented: MESSAGE_ROLES,
  common: [...MESSAGE_ROLES, 'developer', 'tool'],
  any: undefined,
}

/** Number of tokens counted per message in addition to its text. */
const TOKENS_PER_MESSAGE = 4

/** Text of all messages of a chat request, as part of its fingerprint, and the number of tokens. */
interface Prompt {
  readonly text: string
  readonly tokens: number
}

/** Validates the messages of a request (sections 2.3 and 4.2) and counts their tokens. */
function parseMessages(messages: readonly unknown[], behaviour: BehaviourOptions): Prompt | ApiError {
  if (messages.length === 0 && behaviour['empty-messages'] === 'refused') {
    return createParameterError('messages', "'messages' must not be empty.")
  }
  const maxMessages = behaviour['most-messages']
  if (messages.length > maxMessages) {
    return createParameterError(
      'messages',
      `'messages' must have at most ${maxMessages} items, not ${messages.length}.`,
    )
  }
  let text = ''
  let tokens = 0
  for (const [index, message] of messages.entries()) {
    const read = parseMessage(message, behaviour)
    if ('problem' in read) return createParameterError('messages', `'messages[${index}]${read.problem}.`)
    text += `\n${read.role}\n${read.text}`
    tokens += TOKENS_PER_MESSAGE + countTokens(read.text)
  }
  return { text, tokens }
}

type ParsedMessage = { readonly role: string; readonly text: string } | { readonly problem: string }

function parseMessage(message: unknown, behaviour: BehaviourOptions): ParsedMessage {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return { problem: "' must be an object" }
  const { role, content }: { role?: unknown; content?: unknown } = message
  if (typeof role !== 'string') return { problem: ".role' must be a string" }
  const roles = ROLES[behaviour.roles]
  if (roles?.includes(role) === false) return { problem: `.role' must be one of ${roles.join(', ')}` }
  if (typeof content === 'string') return { role, text: content }
  // An assistant message that only calls tools has no content. Clients send null or omit the field.
  if ((content === undefined || content === null) && role === 'assistant') return { role, text: '' }
  if (behaviour['content-parts'] === 'refused') return { problem: ".content' must be a string" }
  if (!Array.isArray(content)) return { problem: ".content' must be a string or an array of parts" }
  const parts = content.map(extractPartText)
  const invalidIndex = parts.indexOf(undefined)
  if (invalidIndex !== -1) return { problem: `.content[${invalidIndex}]' must be an object with a string 'type'` }
  return { role, text: parts.join('\n') }
}

/**
 * Returns the text that represents a content part, or undefined if the part is invalid. The specification leaves the
 * structure of parts open (section 4.2).
 */
function extractPartText(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  const { type, text, image_url: image }: { type?: unknown; text?: unknown; image_url?: unknown } = part
  if (typeof type !== 'string') return undefined
  if (typeof text === 'string') return text
  const url = typeof image === 'object' && image !== null && 'url' in image ? image.url : image
  return typeof url === 'string' ? `${type} ${url}` : type
}
