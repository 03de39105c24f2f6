import { omitUndefined, toJsonObject, type JsonObject } from '../../../common/json-object.ts'
import { createParameterError, type ApiError } from '../../core/api-errors.ts'
import { tryToParseJson } from '../../../common/parse-json.ts'
import type { ClientToolCallItem } from './response-items.ts'

/** A tool that the Responses API defines and the client executes. The chat request offers it as a function of this name. */
interface ClientTool {
  readonly callType: ClientToolCallItem['type']
  readonly idPrefix: string
  /** Field of the call item that contains the arguments of the function. */
  readonly payload: string
  /** Other fields of the call item, before and after its status. */
  readonly head?: JsonObject
  readonly fields?: JsonObject
  /** JSON Schema of the arguments. Absent if the request defines it. */
  readonly parameters?: JsonObject
}

const TEXT = { type: 'string' }
const TEXTS = { type: 'array', items: TEXT, minItems: 1 }
const SCREENSHOT = object({ type: { const: 'screenshot' } })

/** Tools by their type, which is also the name that fixtures call. */
const CLIENT_TOOLS: Readonly<Record<string, ClientTool>> = {
  tool_search: { callType: 'tool_search_call', idPrefix: 'tsc', payload: 'arguments', head: { execution: 'client' } },
  shell: {
    callType: 'shell_call',
    idPrefix: 'sh',
    payload: 'action',
    fields: { environment: { type: 'local' } },
    parameters: object({ commands: TEXTS }),
  },
  local_shell: {
    callType: 'local_shell_call',
    idPrefix: 'lsh',
    payload: 'action',
    parameters: object({
      type: { const: 'exec' },
      command: TEXTS,
      env: { type: 'object', additionalProperties: false },
    }),
  },
  apply_patch: {
    callType: 'apply_patch_call',
    idPrefix: 'apc',
    payload: 'operation',
    parameters: object({ type: { const: 'create_file' }, path: TEXT, diff: TEXT }),
  },
  computer: {
    callType: 'computer_call',
    idPrefix: 'cu',
    payload: 'actions',
    fields: { pending_safety_checks: [] },
    parameters: { type: 'array', items: SCREENSHOT, minItems: 1, maxItems: 1 },
  },
  computer_use_preview: {
    callType: 'computer_call',
    idPrefix: 'cu',
    payload: 'action',
    fields: { pending_safety_checks: [] },
    parameters: SCREENSHOT,
  },
}

function object(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** Returns the function that represents a tool of the client in the chat request, or undefined for other tools. */
export function createClientFunction({ type, environment, execution, description, parameters }: JsonObject) {
  const tool = typeof type === 'string' ? findTool(type) : undefined
  const { type: place } = toJsonObject(environment)
  if (typeof type !== 'string' || tool === undefined || (place !== undefined && place !== 'local')) return undefined
  if (tool.parameters !== undefined) return { name: type, parameters: tool.parameters }
  // By default, the API itself searches for tools.
  return execution === 'client' ? { name: type, ...omitUndefined({ description, parameters }) } : undefined
}

/** Creates the item of a call. The arguments are JSON text. */
export function createClientToolCall(
  name: string,
  text: string,
  call: Pick<ClientToolCallItem, 'status' | 'call_id'> & { readonly idSuffix: string },
): ClientToolCallItem | undefined {
  const tool = findTool(name)
  if (tool === undefined) return undefined
  const { status, call_id, idSuffix } = call
  const payload = parseArguments(text)
  const value = tool.payload === 'actions' && !Array.isArray(payload) ? [payload] : payload
  return {
    id: `${tool.idPrefix}_${idSuffix}`,
    type: tool.callType,
    ...tool.head,
    status,
    call_id,
    ...tool.fields,
    [tool.payload]: value,
  }
}

/** Parses arguments. Text that is not JSON, such as that of a truncated response, becomes an empty object. */
function parseArguments(text: string): unknown {
  const value = tryToParseJson(text)
  return value === undefined ? {} : value
}

function findTool(name: string): ClientTool | undefined {
  return Object.hasOwn(CLIENT_TOOLS, name) ? CLIENT_TOOLS[name] : undefined
}

/** Reads the call of a client's tool as a function call. Returns undefined for other items. */
export function readClientToolCall(
  item: JsonObject,
): { readonly name: string; readonly arguments: string } | undefined {
  const tools = Object.entries(CLIENT_TOOLS).filter(([, { callType }]) => callType === item['type'])
  const [name, tool] = tools.find(([, { payload }]) => payload in item) ?? tools[0] ?? []
  if (name === undefined || tool === undefined) return undefined
  return { name, arguments: JSON.stringify(item[tool.payload] ?? {}) }
}

/**
 * Reads the result of a client's tool as the output of a function call. Returns undefined for other items.
 * @param place name of the item for an error message, with an opening quote
 */
export function readClientToolOutput(item: JsonObject, place: string): JsonObject | ApiError | undefined {
  const { type, output, call_id: callId, id, status } = item
  switch (type) {
    case 'shell_call_output':
      return { call_id: callId, output: Array.isArray(output) ? output.map(formatShellOutput).join('\n') : output }
    case 'local_shell_call_output':
      return { call_id: callId ?? id, output }
    case 'apply_patch_call_output':
      return { call_id: callId, output: output ?? status }
    case 'computer_call_output': {
      const { image_url: url, file_id: file } = toJsonObject(output)
      if (typeof (url ?? file) === 'string') {
        return { call_id: callId, output: [{ type: 'input_image', image_url: url ?? file }] }
      }
      return createParameterError('input', `${place}.output' must have an 'image_url' or a 'file_id'.`)
    }
    default:
      return undefined
  }
}

function formatShellOutput(output: unknown): string {
  const { stdout, stderr } = toJsonObject(output)
  return [stdout, stderr].filter((text) => typeof text === 'string' && text !== '').join('\n')
}
