import {
  changeCalledFunctions,
  changeCalls,
  changeChoice,
  changeMessage,
  changeUsage,
  matchResponseFormat,
  matchToolChoice,
  containsToolResult,
  offersTools,
} from '../../mutation/change/agents.ts'
import { agentStreamMutants, matchMalformedCall, AGENT_CHECK_IDS, removeToolChoice } from './streams-mutants.ts'
import { rewriteFields } from '../../mutation/change/requests.ts'
import { rejectRequests } from '../../mutation/change/responses.ts'
import type { Mutant } from '../../mutation/mutant.ts'
import type { ObservedFact } from '../../findings/facts.ts'
import type { UnsupportedFeature } from '../../findings/fact-params.ts'
import {
  matchMissingField,
  matchObserved,
  matchUnexpectedStatus,
  matchWrongType,
  matchWrongValue,
  type ResultMatch,
} from '../../mutation/result-match.ts'

/* These mutants change tool calls and structured output. They affect only requests of checks in the group `agents`. */

function notSupported(instead: UnsupportedFeature['instead'], actualStatus = 200): ResultMatch {
  return observed({ kind: 'not-supported', actualStatus, instead })
}

function observed(seen: ObservedFact): ResultMatch {
  return { code: 'observed-response', params: { seen } }
}

function parse(text: unknown): unknown {
  return JSON.parse(String(text))
}

const SCHEMA_FINDINGS = {
  'number-as-text': matchWrongType('arguments.days', 'string'),
  'argument-left-out': matchMissingField('arguments.days'),
  'argument-not-listed': matchWrongValue('arguments.unit', 'kelvin'),
  'argument-added': { code: 'undeclared-field', params: { path: 'arguments.hours' } },
} as const satisfies Readonly<Record<string, ResultMatch>>

function withText(change: (text: string) => string): (message: Record<string, unknown>) => Record<string, unknown> {
  return (message) => ({ ...message, content: change(String(message['content'])) })
}

export const agentMutants: readonly Mutant[] = [
  {
    id: '4.2/tools-rejected',
    breaks: 'nothing: a target may reject tools',
    kills: { '4.2/tools-accepted': notSupported('error', 400) },
    mayAffect: AGENT_CHECK_IDS,
    hooks: rejectRequests(offersTools, 400),
  },
  {
    id: '4.2/tools-break-down',
    breaks: 'requests with tools get 503',
    kills: { '4.2/tools-accepted': matchUnexpectedStatus(503) },
    hooks: rejectRequests(offersTools, 503),
  },
  {
    id: '4.2/tool-choice-ignored',
    breaks: 'nothing: a target may ignore tool_choice',
    kills: {
      '4.2/tool-choice-required': notSupported('no-tool-call'),
      '4.2/tool-choice-named': notSupported('no-tool-call'),
    },
    mayAffect: AGENT_CHECK_IDS,
    hooks: rewriteFields(offersTools, removeToolChoice),
  },
  {
    id: '4.2/required-ignored',
    breaks: 'tool_choice "required" has no effect',
    kills: { '4.2/tool-choice-required': matchMalformedCall('no-call') },
    mayAffect: AGENT_CHECK_IDS,
    hooks: rewriteFields(matchToolChoice('required'), removeToolChoice),
  },
  {
    id: '4.2/named-ignored',
    breaks: 'a function that tool_choice names has no effect',
    kills: { '4.2/tool-choice-named': matchMalformedCall('no-call') },
    hooks: rewriteFields(matchToolChoice('named'), removeToolChoice),
  },
  {
    id: '4.2/named-as-required',
    breaks: 'a function that tool_choice names counts as "required"',
    kills: { '4.2/tool-choice-named': matchMalformedCall('other-function', 'get_weather') },
    hooks: rewriteFields(matchToolChoice('named'), { tool_choice: 'required' }),
  },
  {
    id: '4.2/call-with-empty-id',
    breaks: 'the id of tool calls is empty',
    kills: { '4.2/tool-call-id': matchMalformedCall('no-id', '') },
    hooks: changeCalls((call) => ({ ...call, id: '' })),
  },
  {
    id: '4.2/call-of-other-type',
    breaks: 'the type of tool calls is "tool"',
    kills: { '4.2/tool-call-type': matchMalformedCall('wrong-type', 'tool') },
    hooks: changeCalls((call) => ({ ...call, type: 'tool' })),
  },
  {
    id: '4.2/call-with-prefix',
    breaks: 'the names of called functions have a prefix',
    kills: { '4.2/tool-call-name': matchMalformedCall('unknown-name', 'functions.get_weather') },
    mayAffect: ['4.2/tool-choice-named'],
    hooks: changeCalledFunctions(({ name }) => ({ name: `functions.${String(name)}` })),
  },
  {
    id: '4.2/arguments-as-object',
    breaks: 'arguments are an object instead of its text',
    kills: { '4.2/tool-call-arguments': matchMalformedCall('arguments-not-text') },
    hooks: changeCalledFunctions(({ arguments: text }) => ({ arguments: parse(text) })),
  },
  {
    id: '4.2/arguments-cut',
    breaks: 'arguments lack their last character',
    kills: { '4.2/tool-call-arguments': matchMalformedCall('arguments-not-json') },
    hooks: changeCalledFunctions(({ arguments: text }) => ({ arguments: String(text).slice(0, -1) })),
  },
  {
    id: '4.2/arguments-in-a-list',
    breaks: 'arguments are a list with an object',
    kills: { '4.2/tool-call-arguments': matchMalformedCall('arguments-not-object') },
    hooks: changeCalledFunctions(({ arguments: text }) => ({ arguments: `[${String(text)}]` })),
  },
  ...(
    [
      ['number-as-text', 'an argument of the type integer is a string', '"days":2', '"days":"2"'],
      ['argument-left-out', 'a required argument is missing', ',"days":2', ''],
      ['argument-not-listed', 'an argument has a value that the enum does not have', '"celsius"', '"kelvin"'],
      ['argument-added', 'there is an argument that the schema does not have', '"days":2', '"days":2,"hours":1'],
    ] as const
  ).map(([name, breaks, part, other]) => ({
    id: `4.2/${name}`,
    breaks,
    kills: { '4.2/tool-call-schema': SCHEMA_FINDINGS[name] },
    hooks: changeCalledFunctions(({ arguments: text }) => ({ arguments: String(text).replace(part, other) })),
  })),
  {
    id: '4.2/content-in-parts-beside-call',
    breaks: 'the content next to tool calls is an array of parts',
    kills: { '4.2/tool-call-content': matchMalformedCall('content-not-text', [{ type: 'text', text: 'I look.' }]) },
    hooks: changeMessage(offersTools, (message) =>
      'tool_calls' in message ? { ...message, content: [{ type: 'text', text: 'I look.' }] } : message,
    ),
  },
  {
    id: '4.2/call-without-finish-reason',
    breaks: 'the finish_reason of completions with tools is null',
    kills: { '4.2/tool-call-finish-reason': matchMalformedCall('no-finish-reason', null) },
    hooks: changeChoice(offersTools, (choice) => ({ ...choice, finish_reason: null })),
  },
  {
    id: '4.2/call-that-stops',
    breaks: 'nothing: the finish_reason of a forced call may be "stop"',
    kills: { '4.2/tool-call-finish-reason': observed({ kind: 'finish-reasons', reasons: ['stop'] }) },
    mayAffect: ['4.2/tool-call-finish-reason'],
    hooks: changeChoice(offersTools, (choice) => ({ ...choice, finish_reason: 'stop' })),
  },
  {
    id: '4.2/calls-with-one-id',
    breaks: 'all tool calls of a message have one id',
    kills: { '4.2/tool-calls-several': matchMalformedCall('duplicate-id', ['call_1', 'call_1']) },
    hooks: changeCalls((call) => ({ ...call, id: 'call_1' })),
  },
  {
    id: '4.2/one-call-at-a-time',
    breaks: 'nothing: a target may call one function at a time',
    kills: {
      '4.2/tool-calls-several': observed({ kind: 'tool-calls', actualStatus: 200, calls: 1 }),
      '4.2/tool-stream-several': observed({ kind: 'tool-calls', actualStatus: 200, calls: 1 }),
    },
    hooks: rewriteFields(matchToolChoice('required'), ({ messages }) => ({
      messages: parse(JSON.stringify(messages).replace(' and in Oslo', '')),
    })),
  },
  ...agentStreamMutants,
  {
    id: '4.2/tool-role-rejected',
    breaks: 'messages with the role "tool" are rejected, although the target calls functions',
    kills: { '4.2/tool-result': matchUnexpectedStatus(400) },
    hooks: rejectRequests(containsToolResult, 400),
  },
  {
    id: '4.2/nothing-after-result',
    breaks: 'the response to the result of a tool has no text',
    kills: { '4.2/tool-result': matchMalformedCall('no-text-after-result') },
    hooks: changeMessage(containsToolResult, (message) => ({ ...message, content: '' })),
  },
  ...(
    [
      ['4.2/response-format-json-schema', 'schema'],
      ['4.2/response-format-json-object', 'object'],
    ] as const
  ).flatMap(([check, format]): Mutant[] => {
    const match = matchResponseFormat(`json_${format}`)
    return [
      {
        id: `4.2/json-${format}-rejected`,
        breaks: `nothing: a target may reject response_format json_${format}`,
        kills: { [check]: notSupported('error', 400) },
        mayAffect: [check],
        hooks: rejectRequests(match, 400),
      },
      {
        id: `4.2/json-${format}-ignored`,
        breaks: `nothing: a target may ignore response_format json_${format}`,
        kills: { [check]: notSupported('no-json') },
        mayAffect: [check],
        hooks: changeMessage(
          match,
          withText(() => 'Sun, and 21 degrees.'),
        ),
      },
      {
        id: `4.2/json-${format}-in-fence`,
        breaks: `the JSON of response_format json_${format} is in a code fence`,
        kills: { [check]: { code: 'structured-output-malformed', params: { problem: 'code-fence' } } },
        hooks: changeMessage(
          match,
          withText((text) => `\`\`\`json\n${text}\n\`\`\``),
        ),
      },
    ]
  }),
  {
    id: '4.2/json-list',
    breaks: 'the JSON of response_format json_object is a list',
    kills: {
      '4.2/response-format-json-object': { code: 'structured-output-malformed', params: { problem: 'not-an-object' } },
    },
    hooks: changeMessage(
      matchResponseFormat('json_object'),
      withText((text) => `[${text}]`),
    ),
  },
  {
    id: '4.2/json-of-another-schema',
    breaks: 'the JSON of response_format json_schema lacks a required member',
    kills: { '4.2/response-format-json-schema': matchMissingField('content.days') },
    hooks: changeMessage(
      matchResponseFormat('json_schema'),
      withText((text) => text.replace(',"days":2', '')),
    ),
  },
  {
    id: '4.2/tools-without-usage',
    breaks: 'completions with tools have no usage',
    kills: { '4.2/tool-usage': matchMissingField('usage.prompt_tokens') },
    hooks: changeUsage(offersTools, () => undefined),
  },
  {
    id: '4.2/tools-left-out-of-total',
    breaks: 'total_tokens of completions with tools is one too low',
    kills: {
      '4.2/tool-usage-adds-up': { code: 'wrong-value', params: { path: 'usage', expected: { rule: 'usage-adds-up' } } },
    },
    hooks: changeUsage(offersTools, (usage) => ({ ...usage, total_tokens: Number(usage['total_tokens']) - 1 })),
  },
  {
    id: '4.2/tools-counted-otherwise',
    breaks: 'nothing: how many tokens the definitions of tools have is not specified',
    kills: { '4.2/tool-prompt-tokens': matchObserved({ promptTokens: 1000 }) },
    hooks: changeUsage(offersTools, (usage) => ({
      prompt_tokens: 1000,
      completion_tokens: usage['completion_tokens'],
      total_tokens: 1000 + Number(usage['completion_tokens']),
    })),
  },
]
