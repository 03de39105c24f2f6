import { defineFinding } from './define.ts'
import { formatExcerpt } from './json-excerpt.ts'
import type { JsonExcerpt } from './fact-params.ts'

/** What is wrong with tool calls: the sentence of a finding, and the title of a cause. */
const TOOL_CALLS = {
  /** `tool_choice` has no effect, although the target supports tools. */
  'no-call': [
    'there is no tool call, although another tool_choice returns one',
    '`tool_choice` does not force a tool call',
  ],
  'other-function': ['another function is called', 'The target does not call the function that `tool_choice` names'],
  'no-id': ['a tool call has no id', 'Tool calls have no id'],
  'duplicate-id': ['several tool calls have the same id', 'Tool calls of one message have the same id'],
  'wrong-type': ['the type of a tool call is not "function"', 'Tool calls do not have the type `function`'],
  'unknown-name': [
    'the name is not that of an offered function',
    'Tool calls name a function that the request does not offer',
  ],
  'arguments-not-text': ['the arguments are not a string', 'Arguments of tool calls are not a string'],
  'arguments-not-json': ['the arguments are not JSON', 'Arguments of tool calls are not JSON'],
  'arguments-not-object': ['the arguments are not a JSON object', 'Arguments of tool calls are not a JSON object'],
  'content-not-text': [
    'the content is neither null nor a string',
    'The content next to tool calls is neither null nor a string',
  ],
  'no-finish-reason': ['the finish_reason is not a string', 'Responses with tool calls have no finish_reason'],
  'no-streamed-call': [
    'the stream has no tool call, although the same request without stream returns one',
    'Streams contain no tool calls',
  ],
  'no-index': ['a delta of a tool call has no index', 'Deltas of tool calls have no index'],
  'name-repeated': [
    'a later delta of a tool call repeats the name',
    'Each delta of a tool call repeats the name of the function',
  ],
  'id-repeated': ['a later delta of a tool call repeats the id', 'Each delta of a tool call repeats its id'],
  'shared-index': ['several tool calls have the same index', 'Several tool calls of a stream have the same index'],
  'no-text-after-result': [
    'the response to the tool result has neither text nor a tool call',
    'The response to the result of a tool is empty',
  ],
} as const

export type ToolCallProblem = keyof typeof TOOL_CALLS

const STRUCTURED_OUTPUT = {
  'code-fence': 'the JSON is in a code fence',
  'not-an-object': 'the text is JSON, but not an object',
} as const

export const AGENTS = {
  'undeclared-field': defineFinding<{ readonly path: string }>({
    sentence: ({ path }) => `${path} is not in the schema, which allows no additional properties`,
    title: () => 'Responses contain fields that the schema of the request does not allow',
  }),
  'tool-call-malformed': defineFinding<{ readonly problem: ToolCallProblem; readonly actual?: JsonExcerpt }>({
    sentence: ({ problem, actual }) =>
      actual === undefined ? TOOL_CALLS[problem][0] : `${TOOL_CALLS[problem][0]}: ${formatExcerpt(actual)}`,
    title: ({ problem }) => TOOL_CALLS[problem][1],
    groupBy: ({ problem }) => [problem],
  }),
  'structured-output-malformed': defineFinding<{
    readonly problem: keyof typeof STRUCTURED_OUTPUT
    readonly actual: JsonExcerpt
  }>({
    sentence: ({ problem, actual }) => `${STRUCTURED_OUTPUT[problem]}: ${formatExcerpt(actual)}`,
    title: ({ problem }) => `Structured output does not conform to \`response_format\`: ${STRUCTURED_OUTPUT[problem]}`,
    groupBy: ({ problem }) => [problem],
  }),
} as const
