import { toJsonObject } from '../../common/json-object.ts'
import { createParameterError, isApiError, type ApiError } from '../core/api-errors.ts'
import type { RequestFields } from './operation.ts'

/**
 * Converts `functions`, `function_call` and the messages of function calls to the fields of tool calls. The response then
 * has a `function_call` instead of `tool_calls`.
 */
export function convertLegacyFunctions({ values, ...fields }: RequestFields): RequestFields | ApiError {
  const { functions, function_call: call, messages, ...others } = values
  if ((others['tools'] ?? undefined) !== undefined) {
    return createParameterError('functions', "'functions' and 'function_call' cannot be combined with 'tools'.")
  }
  const tools = convertFunctions(functions ?? undefined)
  if (isApiError(tools)) return tools
  const choice = convertCall(call ?? undefined)
  if (isApiError(choice)) return choice
  const converted = { ...others, messages: Array.isArray(messages) ? convertMessages(messages) : messages }
  return { ...fields, values: { ...converted, ...tools, ...choice }, hasLegacyFunctions: true }
}

function convertFunctions(functions: unknown): { readonly tools?: readonly object[] } | ApiError {
  if (functions === undefined) return {}
  if (!Array.isArray(functions)) return createParameterError('functions', "'functions' must be an array of functions.")
  const index = functions.findIndex((one) => typeof toJsonObject(one)['name'] !== 'string')
  if (index !== -1) return createParameterError('functions', `'functions[${index}].name' must be a string.`)
  return { tools: functions.map((one: unknown) => ({ type: 'function', function: one })) }
}

function convertCall(call: unknown): { readonly tool_choice?: unknown } | ApiError {
  if (call === undefined) return {}
  if (call === 'none' || call === 'auto') return { tool_choice: call }
  const { name } = toJsonObject(call)
  if (typeof name === 'string') return { tool_choice: { type: 'function', function: { name } } }
  return createParameterError(
    'function_call',
    '\'function_call\' must be none, auto or an object such as {"name": "…"}.',
  )
}

/** Converts messages. A function message is the result of the preceding call. */
function convertMessages(messages: readonly unknown[]): readonly unknown[] {
  let id = 'call_0'
  return messages.map((message, index) => {
    const { function_call: call, ...others } = toJsonObject(message)
    if (others['role'] === 'function') return { ...others, role: 'tool', tool_call_id: id }
    if ((call ?? undefined) === undefined) return message
    id = `call_${index}`
    return { ...others, tool_calls: [{ id, type: 'function', function: call }] }
  })
}

/** Replaces the parameter names of tools in an error with the names that the request uses. */
export function renameToolParameter(error: ApiError): ApiError {
  if (error.parameter === 'tools') {
    const message = error.message.replace(/'tools(\[\d+\])\.function/, "'functions$1").replace("'tools'", "'functions'")
    return { ...error, parameter: 'functions', message }
  }
  if (error.parameter !== 'tool_choice') return error
  const message = "'function_call' must be none or auto, because 'functions' has no such function."
  return { ...error, parameter: 'function_call', message }
}
