import { parseJson } from '../../http/decode-body.ts'
import * as expect from '../../findings/expect.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Outcome } from '../../findings/outcome.ts'
import type { ExpectationRule } from '../../findings/expectations.ts'
import { findFirstDeviation } from '../shared/fields.ts'
import { getMember, isObject, isNonEmptyString } from '../shared/response-access.ts'
import {
  defineAgentCheck,
  describeMissingCall,
  getForcedCall,
  evaluateFeature,
  evaluateForcedCall,
  OFFERED_FUNCTIONS,
  requireTwoCalls,
  sendToolResults,
} from './agent-requests.ts'
import { findSchemaDeviation } from './object-schema.ts'
import { createMalformedCall, readMessageCalls, type ToolCall } from './tool-calls.ts'

// The checks of a single call share one response.

interface ShapeConvention {
  readonly id: string
  readonly title: string
  readonly rule: ExpectationRule
  readonly consequence: string
  find(call: ToolCall, message: unknown): Deviation | undefined
}

export function findArgumentsDeviation(text: unknown): Deviation | undefined {
  if (typeof text !== 'string') return createMalformedCall('arguments-not-text', text)
  const value = parseJson(text)
  if (value === undefined) return createMalformedCall('arguments-not-json', text)
  return isObject(value) ? undefined : createMalformedCall('arguments-not-object', text)
}

const SHAPE: readonly ShapeConvention[] = [
  {
    id: '4.2/tool-call-id',
    title: 'gives each tool call an id',
    rule: 'tool-call-id',
    consequence:
      'a client cannot refer to the call with tool_call_id: LangChain lists a streamed call without an id as invalid',
    find: ({ id }) => (isNonEmptyString(id) ? undefined : createMalformedCall('no-id', id)),
  },
  {
    id: '4.2/tool-call-type',
    title: 'gives each tool call the type "function"',
    rule: 'tool-call-type',
    consequence:
      'runTools of the openai SDK for Node.js throws "Currently only `function` tool calls are supported", and the openai SDK for Python does not parse the arguments',
    find: ({ type }) => (type === 'function' ? undefined : createMalformedCall('wrong-type', type)),
  },
  {
    id: '4.2/tool-call-name',
    title: 'calls a function that the request offers',
    rule: 'tool-call-name',
    consequence:
      'the Vercel AI SDK reports a NoSuchToolError, and runTools of the openai SDK for Node.js calls no function',
    find: ({ name }) =>
      typeof name === 'string' && OFFERED_FUNCTIONS.has(name) ? undefined : createMalformedCall('unknown-name', name),
  },
  {
    id: '4.2/tool-call-arguments',
    title: 'sends the arguments of a tool call as a string that contains a JSON object',
    rule: 'tool-call-arguments',
    consequence:
      'the openai SDK for Python throws, LangChain lists the call as invalid, and the Vercel AI SDK rejects the call or the whole response',
    find: ({ arguments: text }) => findArgumentsDeviation(text),
  },
  {
    id: '4.2/tool-call-schema',
    title: 'sends arguments that conform to the schema of the function',
    rule: 'tool-call-schema',
    consequence:
      'the Vercel AI SDK reports an InvalidToolInputError; runTools of the openai SDK for Node.js calls the function with the wrong arguments',
    find: ({ name, arguments: text }) => {
      const schema = OFFERED_FUNCTIONS.get(String(name))
      const value = typeof text === 'string' ? parseJson(text) : undefined
      // Checks only the schema, because other checks report an incorrect function name and arguments that are not JSON.
      return schema === undefined || !isObject(value) ? undefined : findSchemaDeviation(value, schema, 'arguments')
    },
  },
  {
    id: '4.2/tool-call-content',
    title: 'sends null or a string as the content next to tool calls',
    rule: 'tool-call-content',
    consequence:
      'the openai SDKs return this content although the declared type is a string or null, and LangChain warns about unsupported content in streams',
    find: (_call, message) => {
      const content = getMember(message, 'content')
      return content === undefined || content === null || typeof content === 'string'
        ? undefined
        : createMalformedCall('content-not-text', content)
    },
  },
]

/** Returns a not-testable outcome for arguments that other checks report, if the rule is `tool-call-schema`. */
function requireEvidence(rule: ExpectationRule, calls: readonly ToolCall[]): Outcome | undefined {
  if (rule !== 'tool-call-schema') return undefined
  const unusable = calls.find(
    ({ name, arguments: text }) => findArgumentsDeviation(text) !== undefined || !OFFERED_FUNCTIONS.has(String(name)),
  )
  if (unusable === undefined) return undefined
  const deviation = findArgumentsDeviation(unusable.arguments) ?? createMalformedCall('unknown-name', unusable.name)
  return expect.markNotTestable({ code: 'plain-response-deviates', params: { deviation } })
}

export const shapeChecks = SHAPE.map(({ id, title, rule, consequence, find }) =>
  defineAgentCheck({
    id,
    requirement: '4.2/tool-calls',
    title,
    requests: 2,
    async run(context) {
      return evaluateForcedCall(await getForcedCall(context), {
        expected: { rule },
        consequence,
        find: (response) => {
          const calls = readMessageCalls(response)
          const message = getMember(response.json, 'choices', 0, 'message')
          const found = findFirstDeviation(calls.map((call) => find(call, message)))
          return found ?? requireEvidence(rule, calls)
        },
      })
    },
  }),
)

export const severalCheck = defineAgentCheck({
  id: '4.2/tool-calls-several',
  requirement: '4.2/tool-calls',
  title: 'gives each call of a message its own id',
  requests: 1,
  async run({ shared }) {
    const tried = 'a question that needs two tool calls'
    return evaluateFeature(await requireTwoCalls(shared), {
      tried,
      expected: { rule: 'tool-calls-several' },
      consequence: 'the results of both calls have the same tool_call_id, so a client cannot match them',
      ignored: describeMissingCall,
      find: (response) => {
        const calls = readMessageCalls(response)
        if (calls.length === 1) {
          return expect.observeFact({ kind: 'tool-calls', actualStatus: response.status, calls: 1 }, tried)
        }
        return evaluateIds(calls.map(({ id }) => id))
      },
    })
  },
})

/** Evaluates the IDs of tool calls. Another check reports a missing ID. */
function evaluateIds(ids: readonly unknown[]): Deviation | Outcome | undefined {
  const other = ids.findIndex((id) => !isNonEmptyString(id))
  if (other !== -1) {
    const deviation = createMalformedCall('no-id', ids[other])
    return expect.markNotTestable({ code: 'plain-response-deviates', params: { deviation } })
  }
  return new Set(ids).size === ids.length ? undefined : createMalformedCall('duplicate-id', ids)
}

export const resultCheck = defineAgentCheck({
  id: '4.2/tool-result',
  requirement: '4.2/tool-results',
  title: 'responds to a conversation with its own tool call and the result of the tool',
  requests: 3,
  async run(context) {
    const first = await getForcedCall(context)
    const calls = readMessageCalls(first)
    const tried = 'a message with the role "tool"'
    if (!expect.isServed(first) || calls.length === 0) {
      return evaluateForcedCall(first, { expected: { rule: 'tool-result' }, consequence: '', find: () => undefined })
    }
    const ids = calls.map(({ id }) => id).filter(isNonEmptyString)
    if (ids.length < calls.length) {
      const deviation = createMalformedCall('no-id', calls.find(({ id }) => !isNonEmptyString(id))?.id)
      return expect.markNotTestable({ code: 'plain-response-deviates', params: { deviation } })
    }
    const response = await sendToolResults(context, getMember(first.json, 'choices', 0, 'message'), ids)
    const evaluated = evaluateFeature(response, {
      tried,
      expected: { rule: 'tool-result' },
      consequence:
        'runTools of the openai SDK for Node.js and generateText of the Vercel AI SDK end with an empty text',
      find: ({ json, status }) => {
        if (isNonEmptyString(getMember(json, 'choices', 0, 'message', 'content'))) return undefined
        const further = readMessageCalls(response).length
        return further === 0
          ? createMalformedCall('no-text-after-result')
          : expect.observeFact({ kind: 'tool-calls', actualStatus: status, calls: further }, tried)
      },
    })
    // The target called a function but rejected its result, so it supports only half of the agent loop.
    const isRejected = evaluated.verdict === 'observed' && !expect.isServed(response)
    if (!isRejected) return evaluated
    const consequence =
      'every agent stops after its first tool call: the openai SDKs throw BadRequestError, and the Vercel AI SDK throws APICallError'
    return {
      ...expect.warn({ rule: 'tool-result' }, expect.describeUnexpected(response), consequence),
      exchange: response,
    }
  },
})
