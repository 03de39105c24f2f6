import { type AnyCheck, defineSummaryCheck, MAX_EVIDENCE } from '../../engine/check.ts'
import * as expect from '../../findings/expect.ts'
import { differenceOf } from '../7-errors/statuses.ts'
import { forOperations } from '../shared/operation.ts'

/**
 * Evaluates all valid requests of an operation with the funded key. Fails if the target accepts the key in some of them
 * and rejects it in others, for example for one model. `5/valid-key-*` reports a target that always rejects it.
 */
export const validKeyEverywhereChecks: readonly AnyCheck[] = forOperations(
  {
    chat: '5/valid-key-everywhere-chat',
    images: '5/valid-key-everywhere-images',
    transcriptions: '5/valid-key-everywhere-transcriptions',
    speech: '5/valid-key-everywhere-speech',
  },
  (operation, id) =>
    defineSummaryCheck({
      id,
      requirement: '5/valid-key',
      title: `accepts a valid key in each valid request (${operation})`,
      operation,
      summarize({ exchanges }) {
        const evaluated = exchanges.filter(
          (one) =>
            one.operation === operation &&
            one.key === 'funded' &&
            one.kind === 'valid' &&
            one.isFinal &&
            one.exchange.error === undefined &&
            one.exchange.status < 500,
        )
        const rejected = evaluated.filter(({ exchange }) => exchange.status === 401)
        const [first] = rejected
        if (!evaluated.some(({ exchange }) => expect.isServed(exchange))) {
          return { outcome: expect.markNoEvidence('recorded-response') }
        }
        if (first === undefined) {
          const seen = { kind: 'every-response', responses: evaluated.length } as const
          return { outcome: expect.pass(expect.EXPECT_SUCCESS, seen) }
        }
        const outcome = expect.fail(expect.EXPECT_SUCCESS, { code: 'unexpected-status', params: { actualStatus: 401 } })
        return {
          outcome: expect.addDifference(differenceOf(rejected, evaluated), outcome),
          evidence: rejected.slice(0, MAX_EVIDENCE),
        }
      },
    }),
)
