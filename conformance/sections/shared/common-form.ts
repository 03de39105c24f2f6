import type { Operation } from '../../../contract/facts.ts'
import type { CheckContext } from '../../engine/check.ts'
import type { Exchange } from '../../http/exchange.ts'
import * as expect from '../../findings/expect.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { isFormRejection } from '../../requests/request-forms.ts'
import type { RequestDifference } from '../../findings/request-difference.ts'

/** Returns the model that serves an operation, or the cheapest one if discovery found none. */
export function selectModel({ models, catalog }: CheckContext, operation: Operation): string {
  return models[operation] || (catalog.candidates(operation)[0] ?? '')
}

/** Returns whether a target rejects a request for a reason other than its account. */
export function isRejected({ error, status }: Exchange): boolean {
  return error === undefined && status >= 400 && status < 500 && ![401, 402, 429].includes(status)
}

/** The same request in another form, for example with another model. */
interface OtherForm {
  readonly servedWith: RequestDifference
  send(): Promise<Exchange>
}

/** Fails if the target rejects the usual form of a request and serves another one. Not testable if it rejects both. */
export function checkCommonForm(usual: Exchange, other: OtherForm): Promise<Outcome> {
  return retryInCommonForm(expect.checkResponse(usual, expect.EXPECT_SUCCESS), usual, other)
}

/** If the target rejects a valid request, sends it in another form, which the specification allows as well. */
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

/** Expects the target to serve a chat that differs in one point from the plainest one, if it serves that one. */
export async function checkServedLikePlain(response: Exchange, { shared }: CheckContext): Promise<Outcome> {
  const outcome = expect.checkSuccess(response)
  if (outcome.verdict !== 'fail') return outcome
  const plain = await shared.chat()
  return expect.isServed(plain) ? outcome : expect.checkResponse(plain, expect.EXPECT_SUCCESS)
}
