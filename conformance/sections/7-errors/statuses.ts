import { ERROR_STATUSES } from '../../../contract/facts.ts'
import { type AnyCheck, defineSummaryCheck, MAX_EVIDENCE } from '../../engine/check.ts'
import type { LoggedExchange } from '../../traffic/run-log.ts'
import * as expect from '../../findings/expect.ts'
import type { Expectation } from '../../findings/expectations.ts'
import type { RequestDifference } from '../../findings/request-difference.ts'
import { forOperations } from '../shared/operation.ts'
import { getRequestedModel } from '../shared/response-access.ts'

const TABLE: readonly number[] = ERROR_STATUSES.map(({ code }) => code)

const EXPECTED: Expectation = { status: ['2xx', ...TABLE] }

/** Returns whether this check evaluates the status. A 5xx is a breakdown, which other checks report. */
function isEvaluated(status: number): boolean {
  return status >= 100 && status < 500
}

/** Returns whether the status is below 500, but neither a success nor in the table of section 7. */
function isOutsideTable(status: number): boolean {
  return isEvaluated(status) && !(status >= 200 && status < 300) && !TABLE.includes(status)
}

export const statusChecks: readonly AnyCheck[] = forOperations(
  {
    models: '7/statuses-models',
    chat: '7/statuses-chat',
    images: '7/statuses-images',
    transcriptions: '7/statuses-transcriptions',
    speech: '7/statuses-speech',
  },
  (operation, id) =>
    defineSummaryCheck({
      id,
      requirement: '7/statuses',
      title: `responds to each valid request (${operation}) with a success or a status of the table`,
      operation,
      summarize({ exchanges }) {
        const evaluated = exchanges.filter(
          (one) =>
            one.operation === operation && one.kind === 'valid' && one.isFinal && isEvaluated(one.exchange.status),
        )
        const outside = evaluated.filter(({ exchange }) => isOutsideTable(exchange.status))
        const first = outside[0]
        if (evaluated.length === 0) return { outcome: expect.markNoEvidence('recorded-response') }
        if (first === undefined) {
          const others = evaluated.filter(({ exchange: { status } }) => status < 300 && status !== 200)
          const otherStatuses = [...new Set(others.map(({ exchange: { status } }) => status))].toSorted((a, b) => a - b)
          const outcome = expect.pass(EXPECTED, {
            kind: 'every-response',
            responses: evaluated.length,
            ...(otherStatuses.length === 0 ? {} : { otherStatuses }),
          })
          return { outcome, evidence: others.slice(0, 1) }
        }
        const params = { actualStatus: first.exchange.status }
        const outcome = expect.fail(EXPECTED, { code: 'unexpected-status', params })
        return {
          outcome: expect.addDifference(differenceOf(outside, evaluated), outcome),
          evidence: outside.slice(0, MAX_EVIDENCE),
        }
      },
    }),
)

/** Describes the share of responses that deviate by their status, and the model if only its requests do. */
export function differenceOf(
  outside: readonly LoggedExchange[],
  evaluated: readonly LoggedExchange[],
): RequestDifference {
  const share = { responses: outside.length, of: evaluated.length }
  const [model, ...others] = new Set(outside.map(getRequestedModel))
  const isOfOneModel = typeof model === 'string' && others.length === 0
  const isOnlyTheirs = evaluated.every((one) => outside.includes(one) || getRequestedModel(one) !== model)
  return isOfOneModel && isOnlyTheirs && outside.length < evaluated.length ? { ...share, model } : share
}
