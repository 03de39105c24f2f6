import { toJsonObject } from '../../../common/json-object.ts'
import { createParameterError, isApiError, type ApiError } from '../../core/api-errors.ts'
import type { ValidatedBody } from '../../core/validate.ts'
import { whenReady } from '../../core/when-ready.ts'
import { prepareChat, type ChatResponseOptions } from '../../operations/chat.ts'
import { countTotalTokens, type Choices } from '../../operations/completion.ts'
import type {
  GeneratedResponse,
  OperationContext,
  PreparedOperation,
  RequestFields,
} from '../../operations/operation.ts'
import { addIgnoredField, addIgnoredTools } from '../../operations/optional-fields.ts'
import { parseParameters } from '../../operations/parameters.ts'
import type { BehaviourOptions } from '../../options/unspecified-behaviour/behaviour-options.ts'
import { findIgnoredFields } from '../ignored-fields.ts'
import type { ChatMessage } from './response-items.ts'
import { createAssistantMessage, createResponseId, planOutputItems } from './output-items.ts'
import { readLogProbabilityFields } from './log-probability-fields.ts'
import { readClientToolCall } from './client-tools.ts'
import { createInputItems } from './input-items.ts'
import { readInput } from './read-input.ts'
import { findLoadedTools, readToolFields } from './read-tools.ts'
import { createFinalResponse, type EchoedFields } from './response-object.ts'
import { createResponseStream } from './response-stream.ts'
import {
  MAX_STORED_RESPONSES,
  type ResponseStore,
  type StoredConversation,
  type StoredOutputItem,
} from './stored-responses.ts'

/** Parameters of POST /v1/responses, taken from the types of the openai SDK 7.0. */
const RESPONSE_PARAMETERS = [
  { name: 'model', type: 'string', required: true },
  { name: 'input', type: 'json', required: true },
  { name: 'instructions', type: 'string', required: false },
  { name: 'max_output_tokens', type: 'integer', required: false },
  { name: 'temperature', type: 'number', required: false },
  { name: 'stream', type: 'boolean', required: false, default: false },
  { name: 'previous_response_id', type: 'string', required: false },
  { name: 'store', type: 'boolean', required: false, default: true },
  { name: 'tools', type: 'array', required: false },
  { name: 'tool_choice', type: 'json', required: false },
  { name: 'text', type: 'json', required: false },
  { name: 'parallel_tool_calls', type: 'boolean', required: false, default: true },
  { name: 'metadata', type: 'json', required: false },
  { name: 'include', type: 'array', required: false },
  { name: 'top_logprobs', type: 'integer', required: false },
  { name: 'max_tool_calls', type: 'integer', required: false, isIgnored: true },
  { name: 'prompt_cache_key', type: 'string', required: false, isIgnored: true },
  { name: 'prompt_cache_options', type: 'json', required: false, isIgnored: true },
  { name: 'prompt_cache_retention', type: 'string', required: false, isIgnored: true },
  { name: 'reasoning', type: 'json', required: false, isIgnored: true },
  { name: 'safety_identifier', type: 'string', required: false, isIgnored: true },
  { name: 'service_tier', type: 'string', required: false, isIgnored: true },
  { name: 'stream_options', type: 'json', required: false, isIgnored: true },
  { name: 'top_p', type: 'number', required: false, isIgnored: true },
  { name: 'truncation', type: 'string', required: false, isIgnored: true },
  { name: 'user', type: 'string', required: false, isIgnored: true },
] as const

/** Fields for features that the emulator does not support, with advice for the error message. */
const REJECTED_FIELDS: Readonly<Record<string, string>> = {
  background: 'The emulator does not run responses in the background.',
  context_management: 'The emulator does not compact conversations.',
  conversation: "The emulator does not store conversations. Use 'previous_response_id', or send all items.",
  moderation: 'The emulator does not moderate texts.',
  prompt: "The emulator does not store prompt templates. Send the text in 'instructions' and 'input'.",
}

/**
 * Validates a request of POST /v1/responses and converts it to the equivalent chat request. Chat code generates the
 * content, charges it and selects fixtures; only the format of the response differs.
 */
export function prepareResponse(
  fields: RequestFields,
  context: OperationContext,
  store: ResponseStore,
): ValidatedBody | ApiError {
  const { settings } = context
  const rejected = findRejectedField(fields)
  if (rejected !== undefined) return rejected
  const ignoredFields = findIgnoredFields(RESPONSE_PARAMETERS, fields, settings.behaviour)
  if (isApiError(ignoredFields)) return ignoredFields
  const values = parseParameters(RESPONSE_PARAMETERS, fields, settings.behaviour)
  if (isApiError(values)) return values
  const input = readInput(values.input, store)
  if (isApiError(input)) return input
  const previous = findPrevious(values.previous_response_id, store)
  if (isApiError(previous)) return previous
  const loadedTools = [...(previous?.loadedTools ?? []), ...findLoadedTools(values.input)]
  const tools = readToolFields(values, loadedTools)
  if (isApiError(tools)) return tools
  const accepted = 'functions, custom tools and namespaces of them'
  const ignoredWithTools = addIgnoredTools(ignoredFields, tools.ignored, accepted, settings.behaviour)
  if (isApiError(ignoredWithTools)) return ignoredWithTools
  const logProbabilities = readLogProbabilityFields(values, settings.behaviour)
  const ignored = [...ignoredWithTools]
  for (const name of logProbabilities.ignored) addIgnoredField(ignored, name)

  const { model, instructions, max_output_tokens: maxTokens, temperature, stream } = values
  const messages = [...(previous?.messages ?? []), ...input]
  const chatFields = {
    model,
    messages: instructions === undefined ? messages : [{ role: 'system', content: instructions }, ...messages],
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    stream,
    ...tools.fields,
    ...logProbabilities.fields,
  }
  const echoed = createEchoedFields(fields.values)
  const render = ([completion]: Choices, format: ChatResponseOptions): GeneratedResponse => {
    const planned = planOutputItems(completion, tools)
    const output = planned.map(({ item }) => item)
    const body = values.store || !stream ? JSON.stringify(createFinalResponse(completion, echoed, output)) : ''
    if (values.store) {
      const conversation = extendConversation(previous, [...input, createAssistantMessage(output)], loadedTools)
      const id = createResponseId(completion)
      store.add(id, { ...conversation, body, input: createInputItems(values.input, id, store) }, output)
    }
    if (stream) return createResponseStream(completion, planned, echoed, format.behaviour)
    return {
      contentType: 'application/json',
      body,
      usedTokens: countTotalTokens(completion),
      reasoningTokens: completion.reasoning?.tokens ?? 0,
      lastToken: completion.completionTokens - 1,
    }
  }
  const chatSettings = { ...settings, behaviour: { ...settings.behaviour, ...CHAT_BEHAVIOUR } }
  const chat = prepareChat({ values: chatFields }, { ...context, settings: chatSettings }, render)
  if (isApiError(chat)) return renameParameter(chat)
  const convert = ({ allowTokens, ...chatWork }: PreparedOperation): PreparedOperation => ({
    ...chatWork,
    operation: 'responses',
    fingerprint: `responses ${chatWork.fingerprint}`,
    allowTokens: allowTokens === undefined ? undefined : (tokens) => convert(allowTokens(tokens)),
    ignoredFields: ignored,
    generate: (random, created, scripted, form) =>
      whenReady(chatWork.generate(random, created, scripted, form), (response) =>
        isApiError(response) ? renameParameter(response) : response,
      ),
    onReplay(response) {
      const replayed = values.store ? readReplayedResponse(response, store) : undefined
      if (replayed === undefined) return
      const { id, messages, output } = replayed
      const conversation = extendConversation(previous, [...input, ...messages], loadedTools)
      const stored = { body: JSON.stringify(response), input: createInputItems(values.input, id, store) }
      store.add(id, { ...conversation, ...stored }, output)
    },
  })
  return { fields: { values: chatFields }, sentFields: fields, work: convert(chat) }
}

/**
 * Reads the ID, the messages and the output items of a recorded response. Returns undefined if the recording has a
 * different structure.
 */
function readReplayedResponse(response: unknown, store: ResponseStore) {
  const { id, output } = toJsonObject(response)
  if (typeof id !== 'string' || !Array.isArray(output)) return undefined
  const items = output.filter(isConversationItem)
  const messages = readInput(items, store)
  return isApiError(messages) ? undefined : { id, messages, output: items }
}

function isConversationItem(item: unknown): item is StoredOutputItem {
  const { id, type } = toJsonObject(item)
  const types: readonly unknown[] = ['message', 'function_call', 'custom_tool_call']
  return typeof id === 'string' && (types.includes(type) || readClientToolCall({ type }) !== undefined)
}

/** Chat options that accept every field of the converted request. The original request has already been validated. */
const CHAT_BEHAVIOUR = {
  'unknown-fields': 'ignored',
  'content-parts': 'accepted',
  roles: 'any',
  tools: 'served',
  'response-format': 'served',
} as const satisfies Partial<BehaviourOptions>

function findRejectedField({ values }: RequestFields): ApiError | undefined {
  for (const [name, reason] of Object.entries(REJECTED_FIELDS)) {
    const value = values[name] ?? undefined
    if (value !== undefined && value !== false && value !== 0) {
      return createParameterError(name, `'${name}' is not supported. ${reason}`)
    }
  }
  return undefined
}

function findPrevious(id: string | undefined, store: ResponseStore): StoredConversation | ApiError | undefined {
  if (id === undefined) return undefined
  const found = store.findResponse(id)
  if (found !== undefined) return found
  return createParameterError(
    'previous_response_id',
    `'previous_response_id' names the response '${id.slice(0, 100)}', which is not stored. The emulator stores the last ${MAX_STORED_RESPONSES} generated responses with 'store' true, until a reset.`,
  )
}

function extendConversation(
  previous: StoredConversation | undefined,
  added: readonly ChatMessage[],
  loadedTools: readonly unknown[],
): StoredConversation {
  const newTools = loadedTools.slice(previous?.loadedTools.length)
  return {
    messages: [...(previous?.messages ?? []), ...added],
    loadedTools,
    characters: (previous?.characters ?? 0) + JSON.stringify([added, newTools]).length,
  }
}

/** Creates the fields of a response that repeat the request. Absent fields have their defaults. */
function createEchoedFields(values: Readonly<Record<string, unknown>>): EchoedFields {
  const read = (name: string, absent: unknown = null) => values[name] ?? absent
  return {
    instructions: read('instructions'),
    max_output_tokens: read('max_output_tokens'),
    metadata: read('metadata', {}),
    parallel_tool_calls: read('parallel_tool_calls', true),
    previous_response_id: read('previous_response_id'),
    reasoning: read('reasoning', { effort: null, summary: null }),
    service_tier: 'default',
    store: read('store', true),
    temperature: read('temperature', 1),
    text: { format: { type: 'text' }, ...Object(read('text', {})) },
    tool_choice: read('tool_choice', 'auto'),
    tools: read('tools', []),
    top_logprobs: read('top_logprobs', 0),
    top_p: read('top_p', 1),
    truncation: read('truncation', 'disabled'),
    user: read('user'),
  }
}

/** Names of parameters of this operation, by the corresponding name in chat. */
const PARAMETER_NAMES: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  response_format: 'text.format',
  logprobs: 'include',
}

/** Replaces the chat parameter names in an error with the names that this operation uses. */
function renameParameter(error: ApiError): ApiError {
  const { parameter = '' } = error
  const name = Object.hasOwn(PARAMETER_NAMES, parameter) ? PARAMETER_NAMES[parameter] : undefined
  if (name === undefined) return error
  return { ...error, parameter: name, message: error.message.replaceAll(`'${parameter}`, `'${name}`) }
}
