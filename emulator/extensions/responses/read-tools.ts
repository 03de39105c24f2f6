import { createParameterError, isApiError, type ApiError } from '../../core/api-errors.ts'

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Converts `tools`, `tool_choice` and `text.format` to the fields of a chat request.
 * @returns the fields that are present, or an error
 */
export function readToolFields(values: {
  readonly tools: readonly unknown[] | undefined
  readonly tool_choice: unknown
  readonly text: unknown
}): JsonObject | ApiError {
  const tools = readTools(values.tools)
  if (isApiError(tools)) return tools
  const choice = readToolChoice(values.tool_choice)
  if (isApiError(choice)) return choice
  const format = readFormat(values.text)
  if (isApiError(format)) return format
  const { toolChoice, allowed } = choice
  const offered = allowed === undefined ? tools : tools?.filter((tool) => allowed.includes(tool.function.name))
  return {
    ...(offered === undefined ? {} : { tools: offered }),
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...format,
  }
}

interface ChatTool {
  readonly type: 'function'
  readonly function: JsonObject & { readonly name: string }
}

function readTools(tools: readonly unknown[] | undefined): readonly ChatTool[] | ApiError | undefined {
  if (tools === undefined) return undefined
  const read: ChatTool[] = []
  for (const [index, tool] of tools.entries()) {
    const { type, name, description, parameters, strict } = toObject(tool)
    if (type !== 'function') {
      return createParameterError(
        'tools',
        `'tools[${index}].type' must be function. The emulator has no built-in tools.`,
      )
    }
    if (typeof name !== 'string') return createParameterError('tools', `'tools[${index}].name' must be a string.`)
    const optional = Object.entries({ description, parameters, strict }).filter(([, value]) => value !== undefined)
    read.push({ type: 'function', function: { name, ...Object.fromEntries(optional) } })
  }
  return read
}

interface ToolChoice {
  /** Value of `tool_choice` for the chat request. */
  readonly toolChoice?: string | { readonly type: 'function'; readonly function: { readonly name: string } }
  /** Names of the functions that the model may call. */
  readonly allowed?: readonly unknown[]
}

function readToolChoice(choice: unknown): ToolChoice | ApiError {
  if (choice === undefined || choice === null) return {}
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { toolChoice: choice }
  const { type, name, mode, tools } = toObject(choice)
  if (type === 'function' && typeof name === 'string') return { toolChoice: { type, function: { name } } }
  if (type === 'allowed_tools' && (mode === 'auto' || mode === 'required') && Array.isArray(tools)) {
    return { toolChoice: mode, allowed: tools.map((tool) => toObject(tool)['name']) }
  }
  return createParameterError(
    'tool_choice',
    '\'tool_choice\' must be auto, none, required, a function such as {"type": "function", "name": "add"}, or allowed_tools.',
  )
}

function readFormat(text: unknown): JsonObject | ApiError {
  const { format } = toObject(text)
  if (format === undefined || format === null) return {}
  const { type, name, schema, strict, description } = toObject(format)
  if (type === 'text' || type === 'json_object') return { response_format: { type } }
  if (type === 'json_schema' && typeof name === 'string' && typeof schema === 'object' && schema !== null) {
    const optional = Object.entries({ strict, description }).filter(([, value]) => value !== undefined)
    return { response_format: { type, json_schema: { name, schema, ...Object.fromEntries(optional) } } }
  }
  return createParameterError(
    'text',
    "'text.format' must have the type text, json_object, or json_schema with 'name' and 'schema'.",
  )
}

function toObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
