import type { AgentDeviationParams, ToolCallProblem } from '../agent-findings.ts'
import { formatExcerpt } from '../json-excerpt.ts'

const TOOL_CALL_PROBLEMS: Readonly<Record<ToolCallProblem, string>> = {
  'no-call': 'there is no tool call, although another tool_choice returns one',
  'other-function': 'another function is called',
  'no-id': 'a tool call has no id',
  'duplicate-id': 'several tool calls have the same id',
  'wrong-type': 'the type of a tool call is not "function"',
  'unknown-name': 'the name is not that of an offered function',
  'arguments-not-text': 'the arguments are not a string',
  'arguments-not-json': 'the arguments are not JSON',
  'arguments-not-object': 'the arguments are not a JSON object',
  'content-not-text': 'the content is neither null nor a string',
  'no-finish-reason': 'the finish_reason is not a string',
  'no-streamed-call': 'the stream has no tool call, although the same request without stream returns one',
  'no-index': 'a delta of a tool call has no index',
  'name-repeated': 'a later delta of a tool call repeats the name',
  'id-repeated': 'a later delta of a tool call repeats the id',
  'shared-index': 'several tool calls have the same index',
  'no-text-after-result': 'the response to the tool result has neither text nor a tool call',
}

const STRUCTURED_OUTPUT_PROBLEMS = {
  'code-fence': 'the JSON is in a code fence',
  'not-an-object': 'the text is JSON, but not an object',
} as const

/** Sentences for deviations of tool calls and structured output, by code. */
export const AGENT_SENTENCES: {
  readonly [Code in keyof AgentDeviationParams]: (params: AgentDeviationParams[Code]) => string
} = {
  'undeclared-field': (params) => `${params.path} is not in the schema, which allows no additional properties`,
  'tool-call-malformed': (params) => {
    const { problem, actual } = params
    return actual === undefined
      ? TOOL_CALL_PROBLEMS[problem]
      : `${TOOL_CALL_PROBLEMS[problem]}: ${formatExcerpt(actual)}`
  },
  'structured-output-malformed': (params) =>
    `${STRUCTURED_OUTPUT_PROBLEMS[params.problem]}: ${formatExcerpt(params.actual)}`,
}
