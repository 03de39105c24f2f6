import { toJsonObject } from '../../../common/json-object.ts'

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
