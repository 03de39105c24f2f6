import { tryToParseJson } from '../../options/parse-json-text.ts'

/** Name of the function that represents a tool search of the client in the chat request. Fixtures call this name. */
export const TOOL_SEARCH = 'tool_search'

/**
 * Returns the tools that input items make available: the results of tool searches, and additional tools. Ignores
 * invalid items.
 */
export function findLoadedTools(input: unknown): readonly unknown[] {
  if (!Array.isArray(input)) return []
  return input.flatMap((item): unknown[] => {
    const { type, tools }: { type?: unknown; tools?: unknown } = { ...Object(item) }
    return (type === 'tool_search_output' || type === 'additional_tools') && Array.isArray(tools) ? tools : []
  })
}

/** Parses the arguments of a tool search, which are a JSON value in an item, and text in a chat message. */
export function parseSearchArguments(text: string): unknown {
  const value = tryToParseJson(text)
  return value === undefined ? {} : value // The response is truncated, or the fixture contains plain text.
}
