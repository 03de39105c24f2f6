import type { Operation } from '../../../contract/facts.ts'
import type { CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { isFormRejection } from '../../requests/request-forms.ts'
import type { RequestDifference } from '../../findings/request-difference.ts'

/**
 * Returns the model that serves an operation, or the cheapest model if discovery found none. Discovery may find none
 * because the target rejects the common form of a request, which is what these checks test.
 */
export function selectModel({ models, catalog }: CheckContext, operation: Operation): string {
  return models[operation] || (catalog.candidates(operation)[0] ?? '')
}

/** The same request in another form, for example with another model. */
interface OtherForm {
  /** Difference between this form and the usual form. */
  readonly servedWith: RequestDifference
  send(): Promise<Exchange>
}

/**
 * Expects the target to serve the usual form of a request. Fails if the target rejects it and serves another form of
 * the same request. Not testable if the target rejects both.
 */
export function checkCommonForm(usual: Exchange, other: OtherForm): Promise<Outcome> {
  return retryInCommonForm(expect.checkResponse(usual, expect.EXPECT_SUCCESS), usual, other)
}

/**
 * Returns the outcome of a valid request. If the target rejects it (400, 404, 422), sends the same request in another form.
 * Fails if the target serves that form, because the specification allows both forms.
 */
export async function retryInCommonForm(
  outcome: Outcome,
  response: Exchange,
  { servedWith, send }: OtherForm,
): Promise<Outcome> {
  const isRejected = isFormRejection(response) || (response.error === undefined && response.status === 404)
  if (!isRejected || !expect.isServed(await send())) return outcome
  const params = { ...expect.getResponseParams(response), servedWith }
  return { ...expect.fail(expect.EXPECT_SUCCESS, { code: 'served-only-otherwise', params }), exchange: response }
}

/**
 * Expects the target to serve a chat that differs in one point from the plainest one. Not testable if the target rejects
 * the plainest chat, too.
 */
export async function checkServedLikePlain(response: Exchange, { shared }: CheckContext): Promise<Outcome> {
  const outcome = expect.checkSuccess(response)
  if (outcome.verdict !== 'fail') return outcome
  const plain = await shared.chat()
  return expect.isServed(plain) ? outcome : expect.checkResponse(plain, expect.EXPECT_SUCCESS)
}
