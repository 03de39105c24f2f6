import { type AnyFinding, defineFinding, type Where } from './define.ts'
import { describeFailureNoun, labelFailure } from './failure-phrases.ts'
import { formatExcerpt } from './json-excerpt.ts'
import type { JsonExcerpt, NoResponseParams, ResponseParams } from './fact-params.ts'
import type { RequestDifference } from './request-difference.ts'
import {
  BODY_LIMIT_REMEDY,
  describeFlaw,
  describeNoResponse,
  describeResponse,
  describeServedVariant,
} from './responses.ts'

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

export const STATUS = {
  'unexpected-status': defineFinding<ResponseParams>({
    harm: ({ actualStatus }) => (isSuccess(actualStatus) ? 'hidden-error' : 'status'),
    sentence: describeResponse,
    title: (response, { requests, status }: Where) => {
      const { actualStatus } = response
      const flaw = describeFlaw(response)
      if (flaw !== undefined) {
        const instead = status === undefined || status === '2xx' ? '' : ` instead of ${status}`
        return `${requests} get ${actualStatus} ${flaw}${instead}`
      }
      if (status === undefined || status === '2xx') return `${requests} get ${actualStatus}`
      if (status.includes('2xx')) return `${requests} get ${actualStatus}, which is none of the expected statuses`
      return isSuccess(actualStatus)
        ? `${requests} are served (${actualStatus}) instead of getting ${status}`
        : `${requests} get ${actualStatus} instead of ${status}`
    },
    groupBy: ({ actualStatus, isErrorInBody, lacksResult }) => [actualStatus, isErrorInBody, lacksResult],
  }),
  'no-response': defineFinding<NoResponseParams>({
    harm: 'hang',
    sentence: describeNoResponse,
    title: ({ error, actualStatus }, { requests, status }) => {
      const instead = status === undefined || status === '2xx' ? '' : ` instead of ${status}`
      return `${requests} get ${describeFailureNoun(error, actualStatus)}${instead}`
    },
    groupBy: ({ error, actualStatus }) => [labelFailure(error, actualStatus)],
  }),
  /** The target rejected a large body with an error that client SDKs cannot read, as `deviation` describes. */
  'large-body-rejected': defineFinding<ResponseParams & { readonly deviation: AnyFinding }>({
    sentence: (params, { describe }) =>
      `${describeResponse(params)}, and the error body deviates: ${describe(params.deviation)}`,
    title: ({ actualStatus }, { requests }) =>
      `${requests} get ${actualStatus}, without an error that clients can read`,
    groupBy: ({ actualStatus }) => [actualStatus],
    remedy: () => BODY_LIMIT_REMEDY,
  }),
  /** The target rejected the request, but served it in the form that `servedWith` describes. */
  'served-only-otherwise': defineFinding<ResponseParams & { readonly servedWith: RequestDifference }>({
    harm: 'status',
    sentence: (params) =>
      `${describeResponse(params)}, but served the request ${describeServedVariant(params.servedWith)}`,
    title: ({ actualStatus, servedWith }, { requests }) =>
      `${requests} get ${actualStatus}, and are served only ${describeServedVariant(servedWith)}`,
    groupBy: ({ actualStatus, servedWith }) => [actualStatus, servedWith],
  }),
  'rejected-in-all-forms': defineFinding<{
    readonly responses: readonly (ResponseParams & { readonly form: string })[]
  }>({
    harm: 'status',
    sentence: ({ responses }) => responses.map((one) => `${one.form}: ${describeResponse(one)}`).join('; '),
    title: ({ responses }, { requests }) => {
      const statuses = new Set(responses.map(({ actualStatus }) => actualStatus))
      return `${requests} are not served in any form (${[...statuses].join(', ')})`
    },
    groupBy: ({ responses }) => responses.map(({ actualStatus, error }) => error ?? actualStatus),
  }),
  'sdk-error-differs': defineFinding<{
    readonly actualStatus: number
    readonly error?: string
    readonly message?: string
    readonly body?: JsonExcerpt
  }>({
    sentence: ({ actualStatus, error, message, body }) => {
      if (body !== undefined) return `the response shows ${formatExcerpt(body)}; the SDK shows "${message}"`
      return `the response has status ${actualStatus}; the SDK threw ${error === undefined ? 'no error' : `${error}: ${message}`}`
    },
    title: () => 'The openai SDK does not show the error message of the target',
  }),
} as const
