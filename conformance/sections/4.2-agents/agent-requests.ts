import type { Check, CheckContext, RequestHelpers } from '../../engine/check.ts'
import { defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { UnsupportedFeature } from '../../findings/fact-params.ts'
import type { Deviation } from '../../findings/families.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { getMember } from '../shared/response-access.ts'
import { parseStream } from '../shared/stream.ts'
import type { ObjectSchema } from './object-schema.ts'
import { readMessageCalls } from './tool-calls.ts'

// These requests use tools, tool results and structured output. Checks share the responses.

/** Maximum tokens of one request: two function definitions, a short conversation, and the response. */
const AGENT_CHAT_TOKENS = 2048

/** `max_tokens` of these requests: enough for two calls or a small object. */
const MAX_TOKENS = 256

export function defineAgentCheck(
  check: Pick<Check, 'id' | 'requirement' | 'title' | 'run'> & { readonly requests: number },
): Check {
  const { requests, ...others } = check
  return defineCheck({
    ...others,
    group: 'agents',
    operation: 'chat',
    cost: { requests, chatTokens: requests * AGENT_CHAT_TOKENS },
  })
}

export const WEATHER_SCHEMA: ObjectSchema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
  },
  required: ['city', 'days', 'unit'],
  additionalProperties: false,
}

const TIME_SCHEMA: ObjectSchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

export const OFFERED_FUNCTIONS: ReadonlyMap<string, ObjectSchema> = new Map([
  ['get_weather', WEATHER_SCHEMA],
  ['get_time', TIME_SCHEMA],
])

/** Function that `tool_choice` names. The user message suggests the other function. */
export const NAMED_FUNCTION = 'get_time'

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Returns the weather forecast for a city.',
      parameters: WEATHER_SCHEMA,
    },
  },
  {
    type: 'function',
    function: { name: 'get_time', description: 'Returns the local time of a city.', parameters: TIME_SCHEMA },
  },
]

const USER_MESSAGE = { role: 'user', content: 'What will the weather be in Paris over the next 2 days, in celsius?' }

const TWO_CITIES = {
  role: 'user',
  content: 'What will the weather be in Paris and in Oslo over the next 2 days, in celsius? Look up both at once.',
}

function ask({ chat }: RequestHelpers, fields: object = {}): Promise<Exchange> {
  return chat({ messages: [USER_MESSAGE], max_tokens: MAX_TOKENS, ...fields })
}

export function sendPlainChat(requests: RequestHelpers): Promise<Exchange> {
  return ask(requests)
}

export function offerTools(requests: RequestHelpers): Promise<Exchange> {
  return ask(requests, { tools: TOOLS })
}

export function requireCall(requests: RequestHelpers, fields: { readonly stream?: true } = {}): Promise<Exchange> {
  return ask(requests, { tools: TOOLS, tool_choice: 'required', ...fields })
}

export function requireNamedCall(requests: RequestHelpers): Promise<Exchange> {
  return ask(requests, { tools: TOOLS, tool_choice: { type: 'function', function: { name: NAMED_FUNCTION } } })
}

export function requireTwoCalls(requests: RequestHelpers, fields: { readonly stream?: true } = {}): Promise<Exchange> {
  return ask(requests, { messages: [TWO_CITIES], tools: TOOLS, tool_choice: 'required', ...fields })
}

/** Continues the conversation with the received assistant message and a result for each of its calls. */
export function sendToolResults(
  requests: RequestHelpers,
  message: unknown,
  callIds: readonly string[],
): Promise<Exchange> {
  const results = callIds.map((id) => ({ role: 'tool', tool_call_id: id, content: '{"forecast":"sun, 21 degrees"}' }))
  return ask(requests, { messages: [USER_MESSAGE, message, ...results], tools: TOOLS })
}

/** Requests JSON that conforms to a schema. The messages do not mention JSON, so JSON shows an effect. */
export function requestSchemaOutput(requests: RequestHelpers): Promise<Exchange> {
  const schema = { name: 'forecast', strict: true, schema: WEATHER_SCHEMA }
  return ask(requests, { response_format: { type: 'json_schema', json_schema: schema } })
}

/** Requests a JSON object. The message mentions JSON, because some services reject `response_format` otherwise. */
export function requestJsonObject(requests: RequestHelpers): Promise<Exchange> {
  const message = { ...USER_MESSAGE, content: `${USER_MESSAGE.content} Answer in JSON.` }
  return ask(requests, { messages: [message], response_format: { type: 'json_object' } })
}

/** Sends `tool_choice: required`, and a `tool_choice` that names a function if the response contains no call. */
export async function getForcedCall({ shared }: Pick<CheckContext, 'shared'>): Promise<Exchange> {
  const required = await requireCall(shared)
  if (readMessageCalls(required).length > 0) return required
  const named = await requireNamedCall(shared)
  return readMessageCalls(named).length > 0 ? named : required
}

/** Returns a reason for an observation if a completion contains no tool call, and undefined otherwise. */
export function describeMissingCall(response: Exchange): 'no-tool-call' | undefined {
  return readMessageCalls(response).length === 0 ? 'no-tool-call' : undefined
}

/** Evaluates the response to a forced tool call, which {@link getForcedCall} returns. */
export function evaluateForcedCall(
  response: Exchange,
  convention: Pick<Convention, 'expected' | 'consequence' | 'find'>,
): Outcome {
  return evaluateFeature(response, { ...convention, tried: 'a forced tool call', ignored: describeMissingCall })
}

/** A feature of requests, with the response format that client SDKs expect. */
interface Convention {
  readonly tried: string
  readonly expected: Expectation
  /** Names the client SDKs that fail, and describes how. Absent if `find` only observes. */
  readonly consequence?: string
  /** Describes the response if the target ignored the feature. Returns undefined if it did not. */
  ignored?(response: Exchange): UnsupportedFeature['instead'] | undefined
  find(response: Exchange): Deviation | Outcome | undefined
}

/**
 * Evaluates the response to a request with a feature that the specification leaves open. If the target rejects or
 * ignores the feature, the outcome is an observation. If its response differs from the format that client SDKs expect,
 * the outcome is a warning.
 */
export function evaluateFeature(
  response: Exchange,
  { tried, expected, consequence = '', ignored, find }: Convention,
): Outcome {
  if (!expect.isServed(response)) return describeUnsupported(response, tried)
  if (endsAtBound(response)) return expect.markNoEvidence('whole-response')
  const instead = ignored?.(response)
  if (instead !== undefined) {
    return expect.observeFact({ kind: 'not-supported', actualStatus: response.status, instead }, tried)
  }
  const found = find(response)
  if (found !== undefined && 'verdict' in found) return found
  return expect.checkConvention(response, expected, () => found, consequence)
}

/** Reports a request that the target did not serve, which is an observation because the feature is open. */
function describeUnsupported(response: Exchange, tried: string): Outcome {
  const { status, error } = response
  const isSuccess = error === undefined && status >= 200 && status < 300
  if (isSuccess) return expect.markNoEvidence('result')
  return expect.observe(response, {
    tried,
    observe: ({ status: actualStatus }) => ({ kind: 'not-supported', actualStatus, instead: 'error' }),
  })
}

function endsAtBound(response: Exchange): boolean {
  const { withChoice } = parseStream(response)
  const reason = getMember(response.json, 'choices', 0, 'finish_reason')
  return reason === 'length' || withChoice.some(({ finishReason }) => finishReason === 'length')
}
