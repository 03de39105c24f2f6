import type { Check, CheckContext, RequestHelpers } from '../../engine/check.ts'
import { defineCheck } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../outcomes/expect.ts'
import type { NotSupported } from '../../outcomes/observed-facts.ts'
import type { Deviation, Expectation, Outcome } from '../../outcomes/outcome.ts'
import { listNeeds } from '../operation.ts'
import { getMember } from '../response-access.ts'
import { readStream } from '../stream.ts'
import type { ObjectSchema } from './object-schema.ts'
import { readMessageCalls } from './tool-calls.ts'

/*
 * Requests of agents: tools, tool results and structured output. The checks use few requests, which they share.
 */

/** Upper bound of the tokens of one request: definitions of two functions, a short conversation, and the response. */
const AGENT_CHAT_TOKENS = 2048

/** `max_tokens` of these requests: enough for two calls or a small object. */
const MAX_TOKENS = 256

/** Defines a check of the group `agents`. These checks send only chats. */
export function defineAgentCheck(
  check: Pick<Check, 'id' | 'requirement' | 'title' | 'run'> & { readonly requests: number },
): Check {
  const { requests, ...others } = check
  return defineCheck({
    ...others,
    group: 'agents',
    operation: 'chat',
    needs: listNeeds('chat'),
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

/** The functions that the requests offer, with the schemas of their arguments. */
export const OFFERED_FUNCTIONS: ReadonlyMap<string, ObjectSchema> = new Map([
  ['get_weather', WEATHER_SCHEMA],
  ['get_time', TIME_SCHEMA],
])

/** The function that `tool_choice` names. The user message suggests the other function. */
export const NAMED_FUNCTION = 'get_time'

const TOOLS = [
  {
    type: 'function',
    function: { name: 'get_weather', description: 'Forecasts the weather of a city.', parameters: WEATHER_SCHEMA },
  },
  {
    type: 'function',
    function: { name: 'get_time', description: 'Tells the local time of a city.', parameters: TIME_SCHEMA },
  },
]

const USER_MESSAGE = { role: 'user', content: 'What will the weather be in Paris over the next 2 days, in celsius?' }

const TWO_CITIES = {
  role: 'user',
  content: 'What will the weather be in Paris and in Oslo over the next 2 days, in celsius? Look up both at once.',
}

/** Sends the user message without tools. */
export function sendPlainChat({ chat }: RequestHelpers): Promise<Exchange> {
  return chat({ messages: [USER_MESSAGE], max_tokens: MAX_TOKENS })
}

/** Offers tools. The model may respond with text. */
export function offerTools({ chat }: RequestHelpers): Promise<Exchange> {
  return chat({ messages: [USER_MESSAGE], max_tokens: MAX_TOKENS, tools: TOOLS })
}

/** Offers tools and requires a call of one of them. */
export function requireCall({ chat }: RequestHelpers, fields: { readonly stream?: true } = {}): Promise<Exchange> {
  return chat({ messages: [USER_MESSAGE], max_tokens: MAX_TOKENS, tools: TOOLS, tool_choice: 'required', ...fields })
}

/** Offers tools and requires a call of `NAMED_FUNCTION`. */
export function requireNamedCall({ chat }: RequestHelpers): Promise<Exchange> {
  const choice = { type: 'function', function: { name: NAMED_FUNCTION } }
  return chat({ messages: [USER_MESSAGE], max_tokens: MAX_TOKENS, tools: TOOLS, tool_choice: choice })
}

/** Sends a user message that needs two calls, and requires at least one. */
export function requireTwoCalls({ chat }: RequestHelpers, fields: { readonly stream?: true } = {}): Promise<Exchange> {
  return chat({ messages: [TWO_CITIES], max_tokens: MAX_TOKENS, tools: TOOLS, tool_choice: 'required', ...fields })
}

/** Continues the conversation with an assistant message as it was received, and a result for each of its calls. */
export function sendToolResults(
  { chat }: RequestHelpers,
  message: unknown,
  callIds: readonly string[],
): Promise<Exchange> {
  const results = callIds.map((id) => ({ role: 'tool', tool_call_id: id, content: '{"forecast":"sun, 21 degrees"}' }))
  return chat({ messages: [USER_MESSAGE, message, ...results], max_tokens: MAX_TOKENS, tools: TOOLS })
}

/**
 * Requests JSON that conforms to a schema. The messages do not mention JSON, so that only the field explains a JSON
 * response.
 */
export function requestSchemaOutput({ chat }: RequestHelpers): Promise<Exchange> {
  const schema = { name: 'forecast', strict: true, schema: WEATHER_SCHEMA }
  return chat({
    messages: [USER_MESSAGE],
    max_tokens: MAX_TOKENS,
    response_format: { type: 'json_schema', json_schema: schema },
  })
}

/** Requests a JSON object. Some services reject the field if no message mentions JSON. */
export function requestJsonObject({ chat }: RequestHelpers): Promise<Exchange> {
  const message = { ...USER_MESSAGE, content: `${USER_MESSAGE.content} Answer in JSON.` }
  return chat({ messages: [message], max_tokens: MAX_TOKENS, response_format: { type: 'json_object' } })
}

/**
 * Returns a response that should contain a tool call. Requests it with `tool_choice: required`, and with a named
 * function if that response has no call.
 */
export async function getForcedCall({ shared }: Pick<CheckContext, 'shared'>): Promise<Exchange> {
  const required = await requireCall(shared)
  if (readMessageCalls(required).length > 0) return required
  const named = await requireNamedCall(shared)
  return readMessageCalls(named).length > 0 ? named : required
}

/** Returns the reason for an observation if a response without stream contains no tool call. */
export function findMissingCall(response: Exchange): 'no-tool-call' | undefined {
  return readMessageCalls(response).length === 0 ? 'no-tool-call' : undefined
}

/** Evaluates the response to a forced tool call, which {@link getForcedCall} returns. */
export function evaluateForcedCall(
  response: Exchange,
  convention: Pick<Convention, 'expected' | 'consequence' | 'find'>,
): Outcome {
  return evaluateFeature(response, { ...convention, tried: 'a forced tool call', ignored: findMissingCall })
}

/** A feature of a request, and the form of the response that client SDKs expect. */
interface Convention {
  /** Names the feature, e.g. `a function in tools`. */
  readonly tried: string
  readonly expected: Expectation
  /** Client SDKs that fail, and how. */
  readonly consequence: string
  /** Content of the response if the target ignored the feature. Undefined if it did not. */
  ignored(response: Exchange): NotSupported['instead'] | undefined
  find(response: Exchange): Deviation | Outcome | undefined
}

/**
 * Evaluates the response to a request with a feature that the specification leaves open. A target that rejects or
 * ignores the feature is observed. A target that supports it in another form than client SDKs expect gets a warning.
 */
export function evaluateFeature(
  response: Exchange,
  { tried, expected, consequence, ignored, find }: Convention,
): Outcome {
  if (!expect.isServed(response)) return describeUnsupported(response, tried)
  if (endsAtBound(response)) return expect.notTestable({ code: 'no-evidence', params: { missing: 'whole-response' } })
  const instead = ignored(response)
  if (instead !== undefined) {
    return expect.observedFact({ kind: 'not-supported', actualStatus: response.status, instead }, tried)
  }
  const found = find(response)
  if (found !== undefined && 'verdict' in found) return found
  return expect.checkConvention(response, expected, () => found, consequence)
}

/** Reports a request that was not served: a rejection is observed. */
function describeUnsupported(response: Exchange, tried: string): Outcome {
  const { status, error } = response
  const isSuccess = error === undefined && status >= 200 && status < 300
  if (isSuccess) return expect.notTestable({ code: 'no-evidence', params: { missing: 'result' } })
  return expect.observed(response, {
    tried,
    observe: ({ status: actualStatus }) => ({ kind: 'not-supported', actualStatus, instead: 'error' }),
  })
}

/** Returns whether `max_tokens` ended the response, so that a part of it may be missing. */
function endsAtBound(response: Exchange): boolean {
  const { withChoice } = readStream(response)
  const reason = getMember(response.json, 'choices', 0, 'finish_reason')
  return reason === 'length' || withChoice.some(({ finishReason }) => finishReason === 'length')
}
