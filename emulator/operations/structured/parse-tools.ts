import { isJsonObject, type JsonObject } from '../../../common/json-object.ts'
import { createParameterError, isApiError, type ApiError } from '../../core/api-errors.ts'
import type { JsonSchema } from './prepare-schema.ts'

/** A function or a custom tool that a chat request offers to the model. The input of a custom tool is plain text. */
export interface ToolFunction {
  readonly name: string
  readonly isCustom?: true
  /** JSON Schema of the arguments. */
  readonly parameters: JsonSchema
}

/**
 * Determines whether a completion calls a function: always, never, or as often as the option `auto-tool-calls`
 * specifies.
 */
export interface ToolUse {
  readonly mode: 'auto' | 'required' | 'none'
  readonly functions: readonly ToolFunction[]
  /** Error to return unless a fixture matches: `tool_choice` requires a call, but there is no function to call. */
  readonly error?: ApiError
}

/** Validates `tools` and `tool_choice` in the format of common client SDKs. */
export function parseTools(tools: unknown, toolChoice: unknown): ToolUse | ApiError {
  const functions = parseFunctions(tools)
  if (isApiError(functions)) return functions
  const choice = parseToolChoice(toolChoice, functions)
  if (isApiError(choice) || choice.mode !== 'required' || choice.functions.length > 0) return choice
  const message = "'tool_choice' must be none or auto, because 'tools' has no such function."
  return { ...choice, error: createParameterError('tool_choice', message) }
}

/** Returns the types of tools that have no effect, such as `tools.web_search`, for the request log. */
export function findIgnoredTools(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return []
  const types = tools.flatMap((tool) => (isJsonObject(tool) && typeof tool['type'] === 'string' ? [tool['type']] : []))
  return [...new Set(types.filter((type) => type !== 'function' && type !== 'custom').map((type) => `tools.${type}`))]
}

function parseFunctions(tools: unknown): readonly ToolFunction[] | ApiError {
  if (tools === undefined) return []
  if (!Array.isArray(tools)) return createParameterError('tools', "'tools' must be an array of tools.")
  const functions: ToolFunction[] = []
  for (const [index, tool] of tools.entries()) {
    const parsed = parseTool(tool)
    if (typeof parsed === 'string') return createParameterError('tools', `'tools[${index}]${parsed}`)
    if (parsed !== undefined) functions.push(parsed)
  }
  return functions
}

/**
 * Parses an element of `tools`.
 * @returns undefined for a tool whose type is neither `function` nor `custom`, or the end of an error message
 */
function parseTool(tool: unknown): ToolFunction | string | undefined {
  if (!isJsonObject(tool)) return "' must be an object."
  if (typeof tool['type'] !== 'string') return ".type' must be a string, such as function."
  if (tool['type'] === 'custom') {
    const name = readToolName(tool)
    if (name === undefined || name === '') return ".custom.name' must be a non-empty string."
    return { name, parameters: { type: 'string' }, isCustom: true }
  }
  if (tool['type'] !== 'function') return undefined
  const called = tool['function']
  if (!isJsonObject(called)) return ".function' must be an object."
  const { name, parameters }: { name?: unknown; parameters?: unknown } = called
  if (typeof name !== 'string' || name === '') return ".function.name' must be a non-empty string."
  if (parameters === undefined || parameters === null) return { name, parameters: { type: 'object' } }
  if (!isJsonObject(parameters)) return ".function.parameters' must be a JSON Schema."
  return { name, parameters: requireObject(parameters) }
}

/**
 * Adds `type: object` to the schema of arguments unless the schema restricts the type, because arguments are always an
 * object.
 */
function requireObject(schema: JsonObject): JsonObject {
  const restrictsType = ['type', '$ref', 'anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in schema)
  return restrictsType ? schema : { ...schema, type: 'object' }
}

function parseToolChoice(choice: unknown, functions: readonly ToolFunction[]): ToolUse | ApiError {
  if (choice === undefined || choice === 'auto') return { mode: 'auto', functions }
  if (choice === 'none') return { mode: 'none', functions: [] }
  if (choice === 'required') return { mode: 'required', functions }
  if (!isJsonObject(choice)) return createToolChoiceError()
  if (choice['type'] === 'allowed_tools' && isJsonObject(choice['allowed_tools'])) {
    const { mode, tools }: { mode?: unknown; tools?: unknown } = choice['allowed_tools']
    const names = Array.isArray(tools) ? tools.map(readToolName) : []
    const allowed = functions.filter(({ name }) => names.includes(name))
    return mode === 'auto' || mode === 'required' ? { mode, functions: allowed } : createToolChoiceError()
  }
  const name = choice['type'] === 'function' || choice['type'] === 'custom' ? readToolName(choice) : undefined
  if (name === undefined) return createToolChoiceError()
  return { mode: 'required', functions: functions.filter((one) => one.name === name) }
}

function readToolName(choice: unknown): string | undefined {
  if (!isJsonObject(choice)) return undefined
  const called = choice['type'] === 'custom' ? choice['custom'] : choice['function']
  return isJsonObject(called) && typeof called['name'] === 'string' ? called['name'] : undefined
}

function createToolChoiceError(): ApiError {
  const message =
    '\'tool_choice\' must be none, auto, required or an object such as {"type": "function", "function": {"name": "…"}}.'
  return createParameterError('tool_choice', message)
}
