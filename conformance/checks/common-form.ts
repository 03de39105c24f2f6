import type { Operation } from '../../contract/facts.ts'
import type { CheckContext } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'
import type { Difference, Outcome } from '../outcomes/outcome.ts'

/**
 * Returns the model that serves an operation, or the cheapest model if the search found none. The search finds none if
 * the target rejects the common form of a request.
 */
export function selectModel({ models, catalog }: CheckContext, operation: Operation): string {
  return models[operation] || (catalog.candidates(operation)[0] ?? '')
}

/** The same request in another form, such as with another model. */
interface OtherForm {
  /** Difference from the usual form. */
  readonly servedWith: Difference
  send(): Promise<Exchange>
}

/**
 * Expects the usual form of a request to be served. Fails if it is rejected while the same request in another form is
 * served. Not testable if both forms are rejected.
 */
export function checkCommonForm(usual: Exchange, other: OtherForm): Promise<Outcome> {
  return retryInCommonForm(expect.checkResponse(usual, expect.EXPECT_SUCCESS), usual, other)
}

/**
 * Returns the outcome of a valid request. Fails if the request is rejected (400, 404) while the same request in another
 * form is served: the target then rejects a form that the specification allows.
 */
export async function retryInCommonForm(
  outcome: Outcome,
  response: Exchange,
  { servedWith, send }: OtherForm,
): Promise<Outcome> {
  const isRejected = response.error === undefined && (response.status === 400 || response.status === 404)
  if (!isRejected || !expect.isServed(await send())) return outcome
  const params = { ...expect.toResponseParams(response), servedWith }
  return { ...expect.failed(expect.EXPECT_SUCCESS, { code: 'served-only-otherwise', params }), exchange: response }
}
