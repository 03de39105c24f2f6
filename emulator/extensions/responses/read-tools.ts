import { isJsonObject, omitUndefined, toJsonObject, type JsonObject } from '../../../common/json-object.ts'
import { createParameterError, isApiError, type ApiError } from '../../core/api-errors.ts'
import { createClientFunction } from './client-tools.ts'

export interface ToolFields {
  readonly fields: JsonObject
  /** Tools that have no effect, in the form `tools.TYPE`, and `tool_choice` if it names one. The request log lists them. */
  readonly ignored: readonly string[]
  readonly namespaces: ToolNamespaces
  /** Names of the tools that the API defines and the client executes. */
  readonly clientTools: readonly string[]
}

/** Name and namespace of each tool of a namespace, by the tool's name in the chat request. */
type ToolNamespaces = ReadonlyMap<string, { readonly name: string; readonly namespace: string }>

/**
 * Converts `tools`, `tool_choice` and `text.format` to the fields of a chat request. The chat request offers the tools
 * of a namespace as separate tools. If several tools have the same name, those of a namespace are called
 * `NAMESPACE.NAME`. Tools that the client executes, such as `shell`, become functions. Other tools, such as
 * `web_search`, have no effect. A `tool_choice` that names such a tool has no effect either, and neither has `required`
 * if no tool remains.
 * @param loadedTools tools that the input makes available
 * @returns the fields that are present, or an error
 */
export function readToolFields(
  values: {
    readonly tools: readonly unknown[] | undefined
    readonly tool_choice: unknown
    readonly text: unknown
  },
  loadedTools: readonly unknown[],
): ToolFields | ApiError {
  const read = readTools(loadedTools.length === 0 ? values.tools : [...(values.tools ?? []), ...loadedTools])
  if (isApiError(read)) return read
  const choice = readToolChoice(values.tool_choice, read.ignored)
  if (isApiError(choice)) return choice
  const format = readFormat(values.text)
  if (isApiError(format)) return format
  const { toolChoice, allowed, isIgnored } = choice
  const { offered: tools, ignored: ignoredTools, ...others } = read
  const used = { ...others, ignored: isIgnored ? [...ignoredTools, 'tool_choice'] : ignoredTools }
  const hasNoTools = ignoredTools.length > 0 && tools?.length === 0
  if (hasNoTools && typeof toolChoice !== 'object') return { fields: format, ...used }
  const offered = allowed === undefined ? tools : tools?.filter((tool) => allowed.includes(getToolName(tool)))
  const fields = {
    ...(offered === undefined ? {} : { tools: offered }),
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...format,
  }
  return { fields, ...used }
}

type ChatTool =
  | { readonly type: 'function'; readonly function: JsonObject & { readonly name: string } }
  | { readonly type: 'custom'; readonly custom: JsonObject & { readonly name: string } }

function getToolName(tool: ChatTool): string {
  return tool.type === 'custom' ? tool.custom.name : tool.function.name
}

interface Tools {
  /** Undefined if the request has no `tools`. */
  readonly offered?: readonly ChatTool[]
  readonly ignored: readonly string[]
  readonly namespaces: ToolNamespaces
  readonly clientTools: readonly string[]
}

interface ParsedTool {
  readonly tool: ChatTool
  readonly namespace: string | undefined
  readonly isClientTool?: true
}

function readTools(tools: readonly unknown[] | undefined): Tools | ApiError {
  if (tools === undefined) return { ignored: [], namespaces: new Map(), clientTools: [] }
  const ignored = new Set<string>()
  const all = parseTools(tools, 'tools', undefined, ignored)
  if (isApiError(all)) return all
  const parsed = removeDuplicates(all)
  const names = parsed.map(({ tool }) => getToolName(tool))
  const namespaces = new Map<string, { readonly name: string; readonly namespace: string }>()
  const offered = parsed.map(({ tool, namespace }) => {
    if (namespace === undefined) return tool
    const name = getToolName(tool)
    const isUnique = names.filter((one) => one === name).length === 1
    const chatName = isUnique ? name : `${namespace}.${name}`
    namespaces.set(chatName, { name, namespace })
    return renameTool(tool, chatName)
  })
  const clientTools = parsed.flatMap(({ tool, isClientTool }) => (isClientTool ? [getToolName(tool)] : []))
  return { offered, ignored: [...ignored], namespaces, clientTools }
}

/** Removes repeated tools of namespaces, because several searches can load the same tool. */
function removeDuplicates(parsed: readonly ParsedTool[]): readonly ParsedTool[] {
  const seen = new Set<string>()
  return parsed.filter(({ tool, namespace }) => {
    const key = JSON.stringify([namespace, getToolName(tool)])
    if (namespace === undefined || !seen.has(key)) return seen.add(key)
    return false
  })
}

/**
 * Parses the tools of a request, or of a namespace.
 * @param place name of the list for error messages
 * @param ignored receives the tools that have no effect
 */
function parseTools(
  tools: readonly unknown[],
  place: string,
  namespace: string | undefined,
  ignored: Set<string>,
): readonly ParsedTool[] | ApiError {
  const parsed: ParsedTool[] = []
  for (const [index, value] of tools.entries()) {
    const { type, name, description, parameters, strict, format, tools: nested } = toJsonObject(value)
    const item = `${place}[${index}]`
    if (typeof type !== 'string') return createParameterError('tools', `'${item}.type' must be a string.`)
    const clientFunction = createClientFunction(toJsonObject(value))
    if (clientFunction !== undefined) {
      parsed.push({ tool: { type: 'function', function: clientFunction }, namespace, isClientTool: true })
      continue
    }
    const isNamespace = type === 'namespace' && namespace === undefined
    if (type !== 'function' && type !== 'custom' && !isNamespace) {
      ignored.add(`tools.${type}`)
      continue
    }
    if (typeof name !== 'string') return createParameterError('tools', `'${item}.name' must be a string.`)
    if (type === 'function') {
      const tool = { type, function: { name, ...omitUndefined({ description, parameters, strict }) } } as const
      parsed.push({ tool, namespace })
    } else if (type === 'custom') {
      parsed.push({ tool: { type, custom: { name, ...omitUndefined({ description, format }) } }, namespace })
    } else {
      if (!Array.isArray(nested)) return createParameterError('tools', `'${item}.tools' must be an array of tools.`)
      const inner = parseTools(nested, `${item}.tools`, name, ignored)
      if (isApiError(inner)) return inner
      for (const tool of inner) parsed.push(tool) // A list may be too long for the arguments of one call.
    }
  }
  return parsed
}

function renameTool(tool: ChatTool, name: string): ChatTool {
  return tool.type === 'custom'
    ? { ...tool, custom: { ...tool.custom, name } }
    : { ...tool, function: { ...tool.function, name } }
}

interface ToolChoice {
  /** Value of `tool_choice` for the chat request. */
  readonly toolChoice?:
    | string
    | { readonly type: 'function'; readonly function: { readonly name: string } }
    | { readonly type: 'custom'; readonly custom: { readonly name: string } }
  /** Names of the tools that the model may call. */
  readonly allowed?: readonly unknown[]
  /** True if `tool_choice` names a tool that has no effect, such as `web_search`. */
  readonly isIgnored?: true
}

/**
 * Converts `tool_choice`.
 * @param ignoredTools tools that have no effect, in the form `tools.TYPE`
 */
function readToolChoice(choice: unknown, ignoredTools: readonly string[]): ToolChoice | ApiError {
  if (choice === undefined || choice === null) return {}
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { toolChoice: choice }
  const { type, name, mode, tools } = toJsonObject(choice)
  if (type === 'function' && typeof name === 'string') return { toolChoice: { type, function: { name } } }
  if (type === 'custom' && typeof name === 'string') return { toolChoice: { type, custom: { name } } }
  const clientFunction = createClientFunction({ type })
  if (clientFunction !== undefined) return { toolChoice: { type: 'function', function: { name: clientFunction.name } } }
  if (typeof type === 'string' && ignoredTools.includes(`tools.${type}`)) return { isIgnored: true }
  if (type === 'allowed_tools' && (mode === 'auto' || mode === 'required') && Array.isArray(tools)) {
    return { toolChoice: mode, allowed: tools.map((tool) => toJsonObject(tool)['name'] ?? toJsonObject(tool)['type']) }
  }
  return createParameterError(
    'tool_choice',
    '\'tool_choice\' must be auto, none, required, a tool such as {"type": "function", "name": "add"}, or allowed_tools.',
  )
}

function readFormat(text: unknown): JsonObject | ApiError {
  const { format } = toJsonObject(text)
  if (format === undefined || format === null) return {}
  const { type, name, schema, strict, description } = toJsonObject(format)
  if (type === 'text' || type === 'json_object') return { response_format: { type } }
  if (type === 'json_schema' && typeof name === 'string' && isJsonObject(schema)) {
    return { response_format: { type, json_schema: { name, schema, ...omitUndefined({ strict, description }) } } }
  }
  return createParameterError(
    'text',
    "'text.format' must have the type text, json_object, or json_schema with 'name' and 'schema'.",
  )
}

/**
 * Returns the tools that input items make available: the results of tool searches, and additional tools. Ignores
 * invalid items.
 */
export function findLoadedTools(input: unknown): readonly unknown[] {
  if (!Array.isArray(input)) return []
  return input.flatMap((item): unknown[] => {
    const { type, tools } = toJsonObject(item)
    return (type === 'tool_search_output' || type === 'additional_tools') && Array.isArray(tools) ? tools : []
  })
}
