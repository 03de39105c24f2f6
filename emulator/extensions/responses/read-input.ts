import { isJsonObject, toJsonObject, type JsonObject } from '../../../common/json-object.ts'
import { createParameterError, isApiError, type ApiError } from '../../core/api-errors.ts'
import { readClientToolCall, readClientToolOutput } from './client-tools.ts'
import type { ChatMessage, ChatToolCall, ContentPart } from './response-items.ts'
import type { ResponseStore } from './stored-responses.ts'

const ROLES = ['user', 'assistant', 'system', 'developer']

/**
 * An input item, converted to a chat message. An item without an equivalent, such as a reasoning item, has no message.
 */
interface ParsedItem {
  readonly message?: ChatMessage
  /** True for a tool call. It becomes part of the preceding assistant message. */
  readonly continuesMessage?: true
}

/**
 * Converts the input of a request to chat messages. Joins an assistant message and the adjacent tool calls into one
 * message, as in a chat request. Some clients send the text of a turn after its calls.
 * @returns the messages, or an error that names the invalid item
 */
export function readInput(input: unknown, store: ResponseStore): readonly ChatMessage[] | ApiError {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (!Array.isArray(input)) {
    return createParameterError('input', "'input' must be a string or an array of items.")
  }
  const messages: ChatMessage[] = []
  for (const [index, item] of input.entries()) {
    const parsed = parseItem(item, `'input[${index}]`, store)
    if (isApiError(parsed)) return parsed
    const { message, continuesMessage } = parsed
    const last = messages.at(-1)
    if (message === undefined) continue
    if (continuesMessage && last?.role === 'assistant') {
      messages[messages.length - 1] = {
        ...last,
        tool_calls: [...(last.tool_calls ?? []), ...(message.tool_calls ?? [])],
      }
    } else if (message.role === 'assistant' && last?.tool_calls !== undefined && last.content === null) {
      messages[messages.length - 1] = { ...last, content: message.content }
    } else {
      messages.push(message)
    }
  }
  return messages
}

function parseItem(fields: unknown, place: string, store: ResponseStore): ParsedItem | ApiError {
  if (!isJsonObject(fields)) return createItemError(place, "' must be an object")
  const { type = 'message' } = fields
  switch (type) {
    case 'message':
      return parseMessage(fields, place)
    case 'function_call':
      return parseFunctionCall(fields, place)
    case 'function_call_output':
      return parseFunctionOutput(fields, place)
    case 'custom_tool_call':
      return parseFunctionCall({ ...fields, arguments: fields['input'] }, place)
    case 'custom_tool_call_output':
      return parseFunctionOutput(fields, place)
    case 'tool_search_call':
      return fields['execution'] === 'client'
        ? parseFunctionCall({ ...fields, ...readClientToolCall(fields) }, place)
        : {}
    case 'tool_search_output':
      return fields['execution'] === 'client' ? parseToolSearchOutput(fields, place) : {}
    case 'additional_tools':
    case 'reasoning':
    case 'web_search_call':
    case 'file_search_call':
    case 'code_interpreter_call':
    case 'image_generation_call':
    case 'mcp_list_tools':
    case 'mcp_call':
    case 'mcp_approval_request':
    case 'mcp_approval_response':
      return {}
    case 'item_reference':
      return parseReference(fields, place, store)
    default: {
      const call = readClientToolCall(fields)
      if (call !== undefined) return parseFunctionCall({ ...fields, ...call }, place)
      const output = readClientToolOutput(fields, place)
      if (isApiError(output)) return output
      if (output !== undefined) return parseFunctionOutput(output, place)
      return createItemError(
        place,
        `.type' must be message, function_call, function_call_output, reasoning or item_reference, not ${JSON.stringify(type)}`,
      )
    }
  }
}

function parseMessage({ role, content }: JsonObject, place: string): ParsedItem | ApiError {
  if (typeof role !== 'string' || !ROLES.includes(role)) {
    return createItemError(place, `.role' must be one of ${ROLES.join(', ')}`)
  }
  const parsed = parseContent(content, `${place}.content`)
  return isApiError(parsed) ? parsed : { message: { role, content: parsed.content } }
}

function parseFunctionCall({ call_id: id, name, arguments: text }: JsonObject, place: string): ParsedItem | ApiError {
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string') {
    return createItemError(place, "' must have the strings 'call_id', 'name' and 'arguments'")
  }
  const call: ChatToolCall = { id, type: 'function', function: { name, arguments: text } }
  return { message: { role: 'assistant', content: null, tool_calls: [call] }, continuesMessage: true }
}

function parseToolSearchOutput({ call_id: id, tools }: JsonObject, place: string): ParsedItem | ApiError {
  if (!Array.isArray(tools)) return createItemError(place, ".tools' must be an array of tools")
  const names = tools.flatMap((tool) => {
    const { name } = toJsonObject(tool)
    return typeof name === 'string' ? [name] : []
  })
  return parseFunctionOutput({ call_id: id, output: names.join(', ') }, place)
}

function parseFunctionOutput({ call_id: id, output }: JsonObject, place: string): ParsedItem | ApiError {
  if (typeof id !== 'string') return createItemError(place, ".call_id' must be a string")
  const parsed = parseContent(output, `${place}.output`)
  return isApiError(parsed) ? parsed : { message: { role: 'tool', tool_call_id: id, content: parsed.content } }
}

function parseReference({ id }: JsonObject, place: string, store: ResponseStore): ParsedItem | ApiError {
  if (typeof id !== 'string') return createItemError(place, ".id' must be a string")
  if (id.startsWith('rs_')) return {} // Chat has no equivalent of a reasoning item.
  const item = store.findItem(id)
  return item === undefined
    ? createItemError(place, `' refers to the item '${id}', which is not stored`)
    : parseItem(item, place, store)
}

/**
 * Converts a string or a list of content parts. If all parts are text, joins them with line breaks.
 * @param place name of the parameter for the error message, with an opening quote
 */
function parseContent(content: unknown, place: string): Pick<ChatMessage, 'content'> | ApiError {
  if (typeof content === 'string') return { content }
  if (!Array.isArray(content)) return createItemError(place, "' must be a string or an array of parts")
  const parts: ContentPart[] = []
  for (const [index, value] of content.entries()) {
    const part = parsePart(value)
    if (part === undefined) {
      return createItemError(
        `${place}[${index}]`,
        "' must be an input_text, output_text, refusal, input_image or input_file",
      )
    }
    parts.push(part)
  }
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  return { content: texts.length === parts.length ? texts.join('\n') : parts }
}

/** Converts a content part to its form in chat requests. Returns undefined if it is invalid. */
function parsePart(value: unknown): ContentPart | undefined {
  const { type, text, refusal, image_url: url, detail, file_id: fileId, ...others } = toJsonObject(value)
  switch (type) {
    case 'input_text':
    case 'output_text':
      return typeof text === 'string' ? { type: 'text', text } : undefined
    case 'refusal':
      return typeof refusal === 'string' ? { type: 'text', text: refusal } : undefined
    case 'input_image': {
      const source = url ?? fileId
      if (typeof source !== 'string') return undefined
      return { type: 'image_url', image_url: { url: source, ...(typeof detail === 'string' ? { detail } : {}) } }
    }
    case 'input_file':
      return { type: 'file', file: { ...(fileId === undefined ? {} : { file_id: fileId }), ...others } }
    default:
      return undefined
  }
}

/**
 * Creates the error for an invalid input item.
 * @param place start of the error message, with an opening quote
 */
function createItemError(place: string, problem: string): ApiError {
  return createParameterError('input', `${place}${problem}.`)
}
