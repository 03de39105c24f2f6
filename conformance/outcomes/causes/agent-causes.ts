import type { ToolCallProblem } from '../agent-findings.ts'
import type { Outcome, ExpectationRule } from '../outcome.ts'
import { createPossibleCause, type PossibleCause } from './finding.ts'

/**
 * Returns the possible causes of a finding about tool calls or structured output. Returns an empty array for other
 * findings.
 */
export function findAgentCauses(outcome: Outcome): PossibleCause[] {
  const { expected } = outcome
  const deviation = outcome.code === 'plain-response-deviates' ? outcome.params.deviation : outcome
  if (deviation.code === 'tool-call-malformed') {
    const { problem } = deviation.params
    return [{ ...createPossibleCause(`tool call ${problem}`, TOOL_CALL_TITLES[problem]), families: [TOOL_CALL_FAMILY] }]
  }
  const rule: ExpectationRule | undefined = expected !== undefined && 'rule' in expected ? expected.rule : undefined
  if (rule === 'tool-call-schema') return [TOOL_ARGUMENTS]
  if (rule === 'json-of-schema' || rule === 'json-object') return [STRUCTURED_OUTPUT]
  return rule === 'tool-result' && deviation.code === 'unexpected-status' ? [TOOL_RESULT] : []
}

const TOOL_CALL_FAMILY = createPossibleCause('tool calls', 'Tool calls do not have the form that client SDKs expect')
const TOOL_ARGUMENTS = createPossibleCause(
  'tool arguments',
  'Arguments of tool calls do not conform to the schema of the function',
)
const TOOL_RESULT = createPossibleCause('tool result', 'Conversations with the result of a tool are rejected')
const STRUCTURED_OUTPUT = createPossibleCause('structured output', '`response_format` is only partly supported')

const TOOL_CALL_TITLES: Readonly<Record<ToolCallProblem, string>> = {
  'no-call': '`tool_choice` does not force a tool call',
  'other-function': 'The target does not call the function that `tool_choice` names',
  'no-id': 'Tool calls have no id',
  'duplicate-id': 'Tool calls of one message have the same id',
  'wrong-type': 'Tool calls do not have the type `function`',
  'unknown-name': 'Tool calls name a function that the request does not offer',
  'arguments-not-text': 'Arguments of tool calls are not a string',
  'arguments-not-json': 'Arguments of tool calls are not JSON',
  'arguments-not-object': 'Arguments of tool calls are not a JSON object',
  'content-not-text': 'The content next to tool calls is neither null nor a string',
  'no-finish-reason': 'Responses with tool calls have no finish_reason',
  'no-streamed-call': 'Streams contain no tool calls',
  'no-index': 'Deltas of tool calls have no index',
  'name-repeated': 'Each delta of a tool call repeats the name of the function',
  'id-repeated': 'Each delta of a tool call repeats its id',
  'shared-index': 'Several tool calls of a stream have the same index',
  'no-text-after-result': 'The response to the result of a tool is empty',
}
