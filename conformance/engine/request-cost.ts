import { parseJson } from '../http/decode-body.ts'
import type { Exchange } from '../http/exchange.ts'
import { findOperationOfRequest } from '../latency/latency-samples.ts'
import type { ApiRequest } from '../requests/api-request.ts'
import { estimateMaxTokens, estimateMaxUnits } from './prices.ts'

/** Keys of accounts with credits. Only requests with these keys are charged. */
const CHARGED_KEYS: readonly ApiRequest['key'][] = ['funded', 'limited', 'small']

/** Returns the upper bound of the request's tokens. */
export function readMaxTokens({ body }: ApiRequest): number {
  return body === undefined ? 0 : estimateMaxTokens(parseJson(Buffer.from(body).toString('utf8')))
}

/** Price of a model in units per token, or undefined if it is not known. */
export type PriceLookup = (model: string) => number | undefined

/** Returns the upper bound of the request's cost, in units. A model without a known price counts as free. */
export function boundUnits({ key, method, path, body }: ApiRequest, priceOf: PriceLookup): number {
  if (!CHARGED_KEYS.includes(key) || body === undefined || findOperationOfRequest(method, path) === 'transcriptions') {
    return 0
  }
  return estimateMaxUnits(parseJson(Buffer.from(body).toString('utf8')), priceOf)
}

/**
 * Returns the cost of the request according to the response, in units, or undefined if it reports none, or the price is
 * not known.
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
