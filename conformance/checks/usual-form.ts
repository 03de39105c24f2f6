import { modelsByPrice } from '../engine/prices.ts'
import type { Operation } from '../../contract/facts.ts'
import type { CheckContext, Outcome } from '../engine/check.ts'
import type { Exchange } from '../http/exchange.ts'
import * as expect from '../outcomes/expect.ts'

const EXPECTED = 'the request is answered'

/**
 * The model found to serve an operation, else the cheapest: a target that refuses the usual form of a request refuses it
 * while models are searched for, and then none is found.
 */
export function modelFor({ models }: CheckContext, operation: Operation): string {
  return models[operation] || (modelsByPrice()[0] ?? '')
}

/**
 * The usual form of a request is accepted. Where it is refused, the same request in another form tells whether the form
 * was the reason; if that is refused as well, nothing is known of the form (not testable).
 * @param otherwise the other form in words, after `served`
 */
export async function takesUsualForm(
  usual: Exchange,
  askOtherwise: () => Promise<Exchange>,
  otherwise: string,
): Promise<Outcome> {
  const outcome = expect.holds(usual, EXPECTED, () => undefined)
  return unlessServedOtherwise(outcome, usual, askOtherwise, otherwise)
}

/**
 * The outcome of a valid request, unless it was refused as a mistake and the same request in another form is served:
 * then its form was refused, which the document allows.
 * @param otherwise the other form in words, after `served`
 */
export async function unlessServedOtherwise(
  outcome: Outcome,
  answer: Exchange,
  askOtherwise: () => Promise<Exchange>,
  otherwise: string,
): Promise<Outcome> {
  const isRefused = answer.error === undefined && (answer.status === 400 || answer.status === 404)
  if (!isRefused) return outcome
  const { expected } = outcome.expected.length > 0 ? outcome : { expected: [EXPECTED] }
  const other = await askOtherwise()
  return expect.served(other) ? expect.failed(expected, `${expect.answered(answer)}, and served ${otherwise}`) : outcome
}
