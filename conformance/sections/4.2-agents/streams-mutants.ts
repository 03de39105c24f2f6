import { agentChecks } from './agents.ts'
import type { ToolCallProblem } from '../../findings/agents.ts'
import type { JsonExcerpt } from '../../findings/fact-params.ts'
import { changeCallDeltas, changeToolChunks, getProperties, matchToolChoice } from '../../mutation/change/agents.ts'
import { matchAll, isStreamRequest } from '../../mutation/change/match.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import type { ResultMatch } from '../../mutation/result-match.ts'

/** IDs of all checks of agents. If the response contains no tool call, most of them return an observation. */
export const AGENT_CHECK_IDS: readonly string[] = agentChecks.map(({ id }) => id)

/** Matches the finding of a malformed tool call. `actual` is the incorrect value, if there is one. */
export function matchMalformedCall(problem: ToolCallProblem, ...actual: readonly JsonExcerpt[]): ResultMatch {
  return { code: 'tool-call-malformed', params: actual.length === 0 ? { problem } : { problem, actual: actual[0] } }
}

/** Returns fields that remove `tool_choice` from a request, so that the model is not forced to call a function. */
export const removeToolChoice = () => ({ tool_choice: undefined })

export const agentStreamMutants: readonly Mutant[] = [
  {
    id: '4.2/text-for-streamed-call',
    breaks: 'streams have no tool calls',
    kills: { '4.2/tool-stream-arguments': matchMalformedCall('no-streamed-call') },
    mayAffect: AGENT_CHECK_IDS,
    hooks: rewriteFields(matchAll(matchToolChoice('required'), isStreamRequest), removeToolChoice),
  },
  {
    id: '4.2/argument-delta-lost',
    breaks: 'one delta of the arguments is lost',
    kills: { '4.2/tool-stream-arguments': matchMalformedCall('arguments-not-json') },
    mayAffect: ['4.2/tool-stream-several'],
    hooks: changeToolChunks((choice, position) =>
      position === 2 && JSON.stringify(choice).includes('"tool_calls":[') ? undefined : choice,
    ),
  },
  {
    id: '4.2/argument-deltas-as-objects',
    breaks: 'deltas of arguments are objects',
    kills: { '4.2/tool-stream-arguments': matchMalformedCall('arguments-not-text') },
    hooks: changeCallDeltas((delta) => ({ ...delta, function: { name: 'get_weather', arguments: { city: 'Paris' } } })),
    mayAffect: ['4.2/tool-stream-start'],
  },
  {
    id: '4.2/deltas-without-index',
    breaks: 'deltas of tool calls have no index',
    kills: { '4.2/tool-stream-index': { code: 'tool-call-malformed', params: { problem: 'no-index' } } },
    mayAffect: ['4.2/tool-stream-several'],
    hooks: changeCallDeltas((delta) => ({ ...delta, index: undefined })),
  },
  {
    id: '4.2/name-in-each-delta',
    breaks: 'each delta of a tool call has the name of the function',
    kills: { '4.2/tool-stream-start': matchMalformedCall('name-repeated', 'get_weather') },
    hooks: changeCallDeltas((delta) => ({
      ...delta,
      function: { ...getProperties(delta['function']), name: 'get_weather' },
    })),
  },
  {
    id: '4.2/id-in-each-delta',
    breaks: 'each delta of a tool call has an id',
    kills: { '4.2/tool-stream-start': matchMalformedCall('id-repeated', 'call_1') },
    mayAffect: ['4.2/tool-stream-several'],
    hooks: changeCallDeltas((delta) => ({ ...delta, id: `call_${Number(delta['index']) + 1}` })),
  },
  {
    id: '4.2/streamed-call-without-type',
    breaks: 'the first delta of a tool call has no type',
    kills: { '4.2/tool-stream-start': { code: 'tool-call-malformed', params: { problem: 'wrong-type' } } },
    hooks: changeCallDeltas((delta) => ({ ...delta, type: undefined })),
  },
  {
    id: '4.2/streamed-call-without-finish-reason',
    breaks: 'streams with tool calls have no finish_reason',
    kills: { '4.2/tool-stream-finish-reason': matchMalformedCall('no-finish-reason', null) },
    hooks: changeToolChunks((choice) => ({ ...choice, finish_reason: null })),
  },
  {
    id: '4.2/calls-with-one-index',
    breaks: 'all tool calls of a stream have the index 0',
    kills: { '4.2/tool-stream-several': matchMalformedCall('shared-index', [0, 0]) },
    hooks: changeCallDeltas((delta) => ({ ...delta, index: 0 })),
  },
]
