import { createExcerpt } from '../../outcomes/json-excerpt.ts'
import type { ToolCallProblem } from '../../outcomes/agents.ts'
import type { Deviation } from '../../outcomes/families.ts'

/** Creates the deviation of a malformed tool call. `actual` is the incorrect value, if there is one. */
export function createMalformedCall(problem: ToolCallProblem, actual?: unknown): Deviation {
  const params = actual === undefined ? { problem } : { problem, actual: createExcerpt(actual) }
  return { code: 'tool-call-malformed', params }
}
