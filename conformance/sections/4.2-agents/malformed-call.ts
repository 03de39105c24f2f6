import { createExcerpt } from '../../findings/json-excerpt.ts'
import type { ToolCallProblem } from '../../findings/agents.ts'
import type { Deviation } from '../../findings/families.ts'

/** Creates the deviation of a malformed tool call. `actual` is the incorrect value, if there is one. */
export function createMalformedCall(problem: ToolCallProblem, actual?: unknown): Deviation {
  const params = actual === undefined ? { problem } : { problem, actual: createExcerpt(actual) }
  return { code: 'tool-call-malformed', params }
}
