import { parseRequestJson } from '../http/request-body.ts'
import type { Exchange } from '../http/exchange.ts'
import { findRequestOperation } from '../latency/latency-samples.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import { PARAMETER_DEFAULTS, MODELS, UNITS_PER_CREDIT } from '../../contract/facts.ts'

/** Returns the price of a model in units (1/10000 credit) per token, if the table contains it. */
export function getUnitsPerToken(model: string): number | undefined {
  const row = MODELS.find((entry) => entry.id === model)
  return row === undefined ? undefined : Math.round(Number(row.creditsPerToken) * UNITS_PER_CREDIT)
}

/** Returns the models of the price table by ascending price. Models with equal prices keep the order of the table. */
export function sortModelsByPrice(): readonly string[] {
  const priced = MODELS.map((model) => ({ id: model.id, units: getUnitsPerToken(model.id) ?? 0 }))
  return priced.toSorted((a, b) => a.units - b.units).map((model) => model.id)
}

/** Maximum tokens that a chat template adds to the text of a message or prompt, for its start, role and end. */
const FRAME_TOKENS = 8

/** Calculates the maximum cost of a JSON request in units: a token for each byte of its text, and `max_tokens`. */
export function calculateMaxUnits(body: unknown, priceOf: PriceLookup = getUnitsPerToken): number {
  if (typeof body !== 'object' || body === null || !('model' in body) || typeof body.model !== 'string') return 0
  return (priceOf(body.model) ?? 0) * calculateMaxTokens(body)
}

/** Calculates the maximum number of tokens of a JSON request: its prompt and its completion. */
export function calculateMaxTokens(body: unknown): number {
  return typeof body !== 'object' || body === null ? 0 : promptTokens(body) + completionTokens(body)
}

function promptTokens(body: object): number {
  const { messages, prompt, input, tools, response_format: format }: Partial<Record<string, unknown>> = { ...body }
  const texts = [...(Array.isArray(messages) ? messages.map(contentOf) : [messages]), prompt, input, tools, format]
  return texts.filter((text) => text !== undefined).reduce<number>((sum, text) => sum + FRAME_TOKENS + bytesOf(text), 0)
}

function contentOf(message: unknown): unknown {
  // The arguments of tool calls also belong to the prompt.
  if (typeof message === 'object' && message !== null && 'tool_calls' in message) return message
  return typeof message === 'object' && message !== null && 'content' in message ? message.content : message
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
}

function completionTokens(body: object): number {
  if (!('messages' in body)) return 0
  const given = 'max_tokens' in body ? body.max_tokens : undefined
  return typeof given === 'number' && Number.isInteger(given) && given > 0 ? given : PARAMETER_DEFAULTS.max_tokens
}

/** Converts units to credits with at most eight decimals, because declared prices can be below a unit. */
export function convertToCredits(units: number): number {
  return Number((units / UNITS_PER_CREDIT).toFixed(8))
}

/** Roles of keys whose accounts have credits. Targets charge only requests with these keys. */
const CHARGED_KEYS: readonly ApiRequest['key'][] = ['funded', 'limited', 'small']

export function calculateMaxRequestTokens({ body }: ApiRequest): number {
  return body === undefined ? 0 : calculateMaxTokens(parseRequestJson(body))
}

/** Returns the price of a model in units per token. Returns undefined if it is unknown. */
export type PriceLookup = (model: string) => number | undefined

/** Calculates the maximum cost in units: 0 for a transcription, without credits, or without a known price. */
export function calculateMaxRequestUnits({ key, method, path, body }: ApiRequest, priceOf: PriceLookup): number {
  if (!CHARGED_KEYS.includes(key) || body === undefined || findRequestOperation(method, path) === 'transcriptions') {
    return 0
  }
  return calculateMaxUnits(parseRequestJson(body), priceOf)
}

/** Calculates the cost in units from the usage of a response. Undefined without usage or a known price. */
export function readReportedUnits({ json, status }: Exchange, priceOf: PriceLookup): number | undefined {
  if (status !== 200 || typeof json !== 'object' || json === null || !('usage' in json) || !('model' in json)) {
    return undefined
  }
  const { usage, model } = json
  const price = typeof model === 'string' ? priceOf(model) : undefined
  const total = typeof usage === 'object' && usage !== null && 'total_tokens' in usage ? usage.total_tokens : undefined
  return price !== undefined && typeof total === 'number' && Number.isInteger(total) ? price * total : undefined
}
