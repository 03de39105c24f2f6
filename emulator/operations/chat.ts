import { isJsonObject, toJsonObject } from '../../common/json-object.ts'
import { MESSAGE_ROLES, PARAMETERS, TEMPERATURE_RANGE } from '../../contract/facts.ts'
import { createParameterError, isApiError, type ApiError } from '../core/api-errors.ts'
import { whenReady } from '../core/when-ready.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import { createSeededRandom } from '../state/seeded-random.ts'
import { parseChatOptions } from './chat-options.ts'
import { createCompletionBody } from './chat-format/completion-body.ts'
import { planCompletion, type Choices, type CompletionSettings } from './completion.ts'
import { countToolCallTokens } from './message-parts.ts'
import type { GeneratedResponse, OperationContext, RequestFields, PreparedOperation } from './operation.ts'
import { findModel, parseParameters, parseOptionalFields, checkRange } from './parameters.ts'
import { addIgnoredTools, type OptionalFields } from './optional-fields.ts'
import { countImageTokens, readPromptImage } from './prompt-images.ts'
import { planChoices } from './multiple-choices.ts'
import { createChatStream } from './chat-format/chat-stream.ts'
import { createMessageGenerator, type MessageGenerator } from './structured/message-generator.ts'
import { findIgnoredTools } from './structured/parse-tools.ts'
import { getCorpus, selectCorpus } from './text/corpus.ts'
import { countTokens } from './text/count-tokens.ts'

export interface ChatResponseOptions {
  readonly stream: boolean
  readonly isUsageRequested: boolean
  readonly behaviour: BehaviourOptions
}

/**
 * Validates a request of POST /v1/chat/completions (section 4.2).
 * @param render converts the choices to a response
 */
export function prepareChat(
  fields: RequestFields,
  { settings, client }: OperationContext,
  render: (choices: Choices, format: ChatResponseOptions) => GeneratedResponse = renderCompletion,
): PreparedOperation | ApiError {
  const { behaviour } = settings
  const optional = parseOptionalFields('chat', fields, behaviour)
  if (isApiError(optional)) return optional
  const values = parseParameters(PARAMETERS.chat, fields, behaviour)
  if (isApiError(values)) return values
  const error =
    checkRange('max_tokens', values.max_tokens, behaviour['least-max-tokens'], behaviour['most-max-tokens']) ??
    checkRange('temperature', values.temperature, TEMPERATURE_RANGE.min, TEMPERATURE_RANGE.max)
  if (error !== undefined) return error
  const messages = parseMessages(values.messages, behaviour)
  if (isApiError(messages)) return messages
  const model = findModel(values.model, 'chat', settings)
  if (isApiError(model)) return model
  const options = optional.served === undefined ? undefined : parseChatOptions(optional.served, fields, behaviour)
  if (isApiError(options)) return options
  const ignoredFields = listIgnoredFields(optional, behaviour)
  if (isApiError(ignoredFields)) return ignoredFields

  const { temperature, stream } = values
  const maxTokens = options?.maxTokens ?? values.max_tokens
  const isLimited = options?.isLimited ?? (fields.values['max_tokens'] ?? undefined) !== undefined
  const hasFixedLimit = isLimited || behaviour['scripted-length'] === 'limited'
  const promptTokens = messages.tokens + (options?.promptTokens ?? 0)
  const isUsageRequested = readIncludeUsage(fields.values['stream_options'])
  const corpusName = selectCorpus(behaviour.text, messages.last)
  const corpus = getCorpus(corpusName)
  const thinks = behaviour['reasoning-models'] === 'all' || model.isReasoning
  // `stream` is not part of the fingerprint, so a request gets the same text with and without streaming.
  const fingerprint = `chat ${model.id} ${maxTokens} ${temperature} ${messages.text}${options?.identity ?? ''}`
  const prepare = (source?: MessageGenerator, limit = maxTokens): PreparedOperation => {
    const maxUsedTokens = promptTokens + limit * (options?.choices ?? 1)
    return {
      operation: 'chat',
      model: model.id,
      unitsPerToken: model.unitsPerToken,
      fingerprint,
      maxUsedTokens,
      freeTokens: behaviour['prompt-price'] === 'alike' ? 0 : promptTokens,
      promptTokens,
      maxCompletionTokens: limit,
      allowTokens: hasFixedLimit ? undefined : (tokens) => prepare(source, Math.max(tokens, maxTokens)),
      ignoredFields,
      generate(random, created, scripted, ownForm) {
        const fieldsOfForm = {
          ...(fields.hasLegacyFunctions ? { hasLegacyCall: true as const } : {}),
          ...(behaviour['completion-fields'] === 'sdk' ? { hasSdkFields: true as const } : {}),
        }
        const id = `chatcmpl-${random.hexDigits(24)}`
        const base = { id, created, model: model.id, promptTokens, maxUsedTokens, ...fieldsOfForm }
        const form = ownForm === undefined ? behaviour : { ...behaviour, ...ownForm }
        const format = { stream, isUsageRequested, behaviour: form }
        const completionSettings: CompletionSettings = {
          seed: settings.seed,
          corpus,
          answerTokens: settings.answerTokens,
          maxTokens: limit,
          reasoning: form.reasoning === 'none' ? 'reasoning_content' : form.reasoning,
          reasoningTokens:
            form.reasoning === 'none' || !thinks || scripted !== undefined ? 0 : form['reasoning-tokens'],
        }
        if (options !== undefined) {
          // A seed in the request makes the message independent of earlier identical requests.
          const messageRandom = options.seed === undefined ? random : createSeededRandom(settings.seed, fingerprint, 0)
          const planned = planChoices(options, messageRandom, completionSettings, base, scripted, source)
          return whenReady(planned, (choices) => (isApiError(choices) ? choices : render(choices, format)))
        }
        return render([planCompletion(random, completionSettings, base, scripted)], format)
      },
    }
  }
  if (options === undefined) return prepare()
  const percent = hasRole(values.messages.at(-1), 'tool') ? 0 : behaviour['auto-tool-calls']
  return prepare(createMessageGenerator(options, percent, corpusName, client))
}

function listIgnoredFields({ served, ignored }: OptionalFields, behaviour: BehaviourOptions) {
  const tools = served === undefined ? [] : findIgnoredTools(served['tools'])
  return tools.length === 0 ? ignored : addIgnoredTools(ignored, tools, 'functions and custom tools', behaviour)
}

/**
 * Returns true if a chat request uses `functions`, `function_call` or messages with the role `function`. Clients used
 * these fields before `tools`.
 */
export function usesLegacyFunctions({ values }: RequestFields, behaviour: BehaviourOptions): boolean {
  if (behaviour.tools !== 'served') return false
  const { functions, function_call: call, messages } = values
  if ((functions ?? call ?? undefined) !== undefined) return true
  return Array.isArray(messages) && messages.some((message) => hasRole(message, 'function'))
}

function hasRole(message: unknown, role: string): boolean {
  return toJsonObject(message)['role'] === role
}

function renderCompletion(
  choices: Choices,
  { stream, isUsageRequested, behaviour }: ChatResponseOptions,
): GeneratedResponse {
  return stream ? createChatStream(choices, isUsageRequested, behaviour) : createCompletionBody(choices)
}

/**
 * Returns true if `stream_options.include_usage` is true. The specification does not define this field, but common
 * clients send it. Other values have no effect.
 */
function readIncludeUsage(streamOptions: unknown): boolean {
  return toJsonObject(streamOptions)['include_usage'] === true
}

/** Accepted roles for each value of the option `roles`. Undefined accepts any string. */
const ROLES: Readonly<Record<BehaviourOptions['roles'], readonly string[] | undefined>> = {
  documented: MESSAGE_ROLES,
  common: [...MESSAGE_ROLES, 'developer', 'tool'],
  any: undefined,
}

/** Number of tokens that each message costs in addition to its text. */
const TOKENS_PER_MESSAGE = 4

/**
 * Text of all messages of a chat request, and its number of tokens. The text is a part of the request's fingerprint.
 */
interface Prompt {
  readonly text: string
  /** Text of the last message. */
  readonly last: string
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
  let last = ''
  let tokens = 0
  for (const [index, message] of messages.entries()) {
    const read = parseMessage(message, behaviour)
    if ('problem' in read) return createParameterError('messages', `'messages[${index}]${read.problem}.`)
    text += `\n${read.role}\n${read.text}`
    last = read.text
    tokens += TOKENS_PER_MESSAGE + (read.tokens ?? countTokens(read.text))
  }
  return { text, last, tokens }
}

/** A parsed message, or its problem. If `tokens` is absent, the emulator counts the tokens of the text. */
type ParsedMessage =
  | { readonly role: string; readonly text: string; readonly tokens?: number }
  | { readonly problem: string }

function parseMessage(message: unknown, behaviour: BehaviourOptions): ParsedMessage {
  if (!isJsonObject(message)) return { problem: "' must be an object" }
  const { role, content, tool_calls: calls } = message
  if (typeof role !== 'string') return { problem: ".role' must be a string" }
  const roles = ROLES[behaviour.roles]
  if (roles?.includes(role) === false) return { problem: `.role' must be one of ${roles.join(', ')}` }
  const parsed = parseContent(role, content, behaviour)
  if (!Array.isArray(calls) || 'problem' in parsed || behaviour.tools !== 'served') return parsed
  const tokens = parsed.tokens ?? countTokens(parsed.text)
  const callTokens = behaviour['tool-tokens'] === 'free' ? 0 : countToolCallTokens(calls)
  return { role, text: `${parsed.text}\n${JSON.stringify(calls)}`, tokens: tokens + callTokens }
}

function parseContent(role: string, content: unknown, behaviour: BehaviourOptions): ParsedMessage {
  if (typeof content === 'string') return { role, text: content }
  // An assistant message that only calls tools has no content. Clients send null or omit the field.
  if ((content === undefined || content === null) && role === 'assistant') return { role, text: '' }
  if (behaviour['content-parts'] === 'refused') return { problem: ".content' must be a string" }
  if (!Array.isArray(content)) return { problem: ".content' must be a string or an array of parts" }
  const parts = content.map(extractPartText)
  const invalidIndex = parts.indexOf(undefined)
  if (invalidIndex !== -1) return { problem: `.content[${invalidIndex}]' must be an object with a string 'type'` }
  const text = parts.join('\n')
  const rule = behaviour['image-tokens']
  if (rule === 'text') return { role, text }
  const images = content.map(readPromptImage)
  if (images.every((image) => image === undefined)) return { role, text }
  const words = parts.filter((_, index) => images[index] === undefined).join('\n')
  const imageTokens = images.reduce((sum, image) => sum + (image === undefined ? 0 : countImageTokens(image, rule)), 0)
  return { role, text, tokens: countTokens(words) + imageTokens }
}

/**
 * Returns the text that represents a content part, or undefined if the part is invalid. The specification leaves the
 * structure of parts open (section 4.2).
 */
function extractPartText(part: unknown): string | undefined {
  const { type, text, image_url: image } = toJsonObject(part)
  if (typeof type !== 'string') return undefined
  if (typeof text === 'string') return text
  const url = isJsonObject(image) ? image['url'] : image
  return typeof url === 'string' ? `${type} ${url}` : type
}
