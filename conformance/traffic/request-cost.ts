import { parseRequestJson } from '../http/request-json.ts'
import type { Exchange } from '../http/exchange.ts'
import { findRequestOperation } from '../latency/latency-samples.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import { calculateMaxTokens, calculateMaxUnits } from './prices.ts'

/** Roles of keys whose accounts have credits. Targets charge only requests with these keys. */
const CHARGED_KEYS: readonly ApiRequest['key'][] = ['funded', 'limited', 'small']

export function calculateMaxRequestTokens({ body }: ApiRequest): number {
  return body === undefined ? 0 : calculateMaxTokens(parseRequestJson(body))
}

/** Returns the price of a model in units per token. Returns undefined if it is unknown. */
export type PriceLookup = (model: string) => number | undefined

/**
 * Calculates the maximum cost of a request in units. Returns 0 for keys without credits, for transcriptions, and for a
 * model without a known price.
 */
export function calculateMaxRequestUnits({ key, method, path, body }: ApiRequest, priceOf: PriceLookup): number {
  if (!CHARGED_KEYS.includes(key) || body === undefined || findRequestOperation(method, path) === 'transcriptions') {
    return 0
  }
  return calculateMaxUnits(parseRequestJson(body), priceOf)
}

/**
 * Calculates the cost of a request in units from the usage in its response. Returns undefined if the usage or the price
 * is unknown.
 */
export function readReportedUnits({ json, status }: Exchange, priceOf: PriceLookup): number | undefined {
  if (status !== 200 || typeof json !== 'object' || json === null || !('usage' in json) || !('model' in json)) {
    return undefined
  }
  const { usage, model } = json
  const price = typeof model === 'string' ? priceOf(model) : undefined
  const total = typeof usage === 'object' && usage !== null && 'total_tokens' in usage ? usage.total_tokens : undefined
  return price !== undefined && typeof total === 'number' && Number.isInteger(total) ? price * total : undefined
}
