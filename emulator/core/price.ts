import { unitsPerToken } from '../state/credits.ts'
import type { ValidRequest } from './validate.ts'

/** A request with the most that it can cost. */
export interface Priced extends ValidRequest {
  /** Units of 0.0001 credit; 0 for what is free. */
  readonly unitsPerToken: number
  /** Upper bound: every charged token that the request may use. */
  readonly ceilingUnits: number
}

/** Prices the request by the table of section 2.1; but for those that are free. */
export function price(request: ValidRequest): Priced {
  const { model, maxUsedTokens, freeTokens } = request.work
  const perToken = model === undefined ? 0 : unitsPerToken(model)
  return Object.assign(request, { unitsPerToken: perToken, ceilingUnits: (maxUsedTokens - freeTokens) * perToken })
}
