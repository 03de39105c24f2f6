import { isJsonObject, toJsonObject } from '../../common/json-object.ts'
import { PARAMETER_DEFAULTS } from '../../contract/facts.ts'
import { createParameterError, isApiError, type ApiError } from '../core/api-errors.ts'
import type { BehaviourOptions } from '../options/unspecified-behaviour/behaviour-options.ts'
import type { RequestFields } from './operation.ts'
import { MAX_TOP_LOGPROBS } from './log-probabilities.ts'
import { checkRange } from './parameters.ts'
import { parseTools, type ToolUse } from './structured/parse-tools.ts'
import type { JsonSchema } from './structured/prepare-schema.ts'
import { countTokens } from './text/count-tokens.ts'

export const MAX_STOP_SEQUENCES = 16

/** Effects of the chat request fields that the specification does not define, such as `n` and `tools`. */
export interface ChatOptions {
  /** Maximum number of completion tokens of each choice. */
  readonly maxTokens: number
  /** True if the request has `max_tokens` or `max_completion_tokens`. */
  readonly isLimited: boolean
  readonly choices: number
  /** Stop sequences. The completion ends before the first occurrence of any of them. */
  readonly stop: readonly string[]
  readonly seed: number | undefined
  /** Number of most probable tokens to list. Undefined if the response has no log probabilities. */
  readonly topLogprobs: number | undefined
  readonly tools: ToolUse
  readonly format: ResponseFormat
  /** Number of prompt tokens for tool definitions and the response schema. */
  readonly promptTokens: number
  /** Fields that change the response message, serialized as part of the fingerprint. Empty if there are none. */
  readonly identity: string
}

export type ResponseFormat =
  | { readonly type: 'text' | 'json_object' }
  | { readonly type: 'json_schema'; readonly schema: JsonSchema }

/**
 * Validates the optional fields of a chat request that have an effect.
 * @param fields all fields; `max_tokens` has already been validated
 */
export function parseChatOptions(
  served: Readonly<Record<string, unknown>>,
  fields: RequestFields,
  behaviour: BehaviourOptions,
): ChatOptions | ApiError {
  const given = fields.values['max_tokens']
  const maxTokens = isInteger(given) ? given : undefined
  const {
    max_completion_tokens: maxCompletionTokens = maxTokens ?? PARAMETER_DEFAULTS.max_tokens,
    n = 1,
    seed,
    logprobs = false,
    top_logprobs: topLogprobs = 0,
  } = served
  const { tools: definitions, tool_choice: toolChoice, response_format: responseFormat } = served
  const integers = { max_completion_tokens: maxCompletionTokens, n, seed, top_logprobs: topLogprobs }
  const range = { least: behaviour['least-max-tokens'], most: behaviour['most-max-tokens'] }
  const areIntegers = isInteger(maxCompletionTokens) && isInteger(n) && isInteger(topLogprobs)
  if (!areIntegers || !(seed === undefined || isInteger(seed))) {
    const [name = ''] = Object.entries(integers).find(([, value]) => value !== undefined && !isInteger(value)) ?? []
    return createParameterError(name, `'${name}' must be an integer.`)
  }
  const error =
    checkRange('max_completion_tokens', maxCompletionTokens, range.least, range.most) ??
    checkRange('n', n, 1, behaviour['most-n']) ??
    checkRange('top_logprobs', topLogprobs, 0, MAX_TOP_LOGPROBS)
  if (error !== undefined) return error
  if (typeof logprobs !== 'boolean') return createParameterError('logprobs', "'logprobs' must be true or false.")
  const stop = parseStop(served['stop'])
  if (isApiError(stop)) return stop
  const tools = parseTools(definitions, toolChoice)
  if (isApiError(tools)) return tools
  const format = parseResponseFormat(responseFormat)
  if (isApiError(format)) return format
  const schemas = [definitions, responseFormat]
    .filter((value) => value !== undefined)
    .map((value) => JSON.stringify(value))
  const changing = { seed, tools: definitions, tool_choice: toolChoice, response_format: responseFormat }
  const identity = JSON.stringify(changing)
  return {
    maxTokens: Math.min(maxCompletionTokens, maxTokens ?? Infinity),
    isLimited: maxTokens !== undefined || served['max_completion_tokens'] !== undefined,
    choices: n,
    stop,
    seed,
    topLogprobs: logprobs ? topLogprobs : undefined,
    tools,
    format,
    promptTokens: behaviour['tool-tokens'] === 'free' ? 0 : schemas.reduce((sum, text) => sum + countTokens(text), 0),
    identity: identity === '{}' ? '' : identity,
  }
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

function parseStop(value: unknown): readonly string[] | ApiError {
  const texts = value === undefined ? [] : typeof value === 'string' ? [value] : value
  const isValid =
    Array.isArray(texts) &&
    texts.length <= MAX_STOP_SEQUENCES &&
    texts.every((text) => typeof text === 'string' && text !== '')
  if (isValid) return texts
  return createParameterError(
    'stop',
    `'stop' must be a string, or a list of at most ${MAX_STOP_SEQUENCES} strings, none empty.`,
  )
}

function parseResponseFormat(value: unknown): ResponseFormat | ApiError {
  if (value === undefined) return { type: 'text' }
  const { type, json_schema: named } = toJsonObject(value)
  if (type === 'text' || type === 'json_object') return { type }
  if (type !== 'json_schema') {
    const message = "'response_format' must be an object with the type text, json_object or json_schema."
    return createParameterError('response_format', message)
  }
  const { schema } = toJsonObject(named)
  if (typeof schema === 'boolean' || isJsonObject(schema)) return { type, schema }
  return createParameterError('response_format', "'response_format.json_schema.schema' must be a JSON Schema.")
}
