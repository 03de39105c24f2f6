import type { ExpectedStatus } from '../findings/expectations.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { RequestDifference } from '../findings/request-difference.ts'
import { type DifferenceKind, isDeparture, isServedResult, isStatusMissing, markDeclared } from './difference-kind.ts'

/** What is invalid about a request. Each kind has one status in section 7. */
type InvalidPart = 'value' | 'body' | 'model' | 'endpoint' | 'credential' | 'account'

type DeclaredStatus = number | 'served'

function findInvalidPart(difference: RequestDifference, statuses: readonly ExpectedStatus[]): InvalidPart | undefined {
  if ('credential' in difference) return 'credential'
  if ('account' in difference) return 'account'
  if ('path' in difference) return 'endpoint'
  if ('body' in difference || 'bodyText' in difference) return 'body'
  if (!('parameter' in difference)) return undefined
  return difference.parameter === 'model' && statuses[0] === 404 ? 'model' : 'value'
}

/**
 * Defines a difference of the status for some invalid requests.
 * @param requests subject of the text, e.g. `validation errors`
 * @param specified the status of section 7
 * @param mayBeMissing returns whether a check may lack a response with this status because of the difference
 */
function defineStatusDifference(
  requests: string,
  specified: number,
  parts: readonly InvalidPart[],
  mayBeMissing: (outcome: Outcome) => boolean = () => true,
): DifferenceKind<DeclaredStatus> {
  const concerns = (difference: RequestDifference, statuses: readonly ExpectedStatus[]): boolean => {
    const part = findInvalidPart(difference, statuses)
    return part !== undefined && parts.includes(part) && statuses.includes(specified)
  }
  return {
    text: (value) => (value === 'served' ? `${requests} are served` : `${requests} get ${value}`),
    replaceStatuses(value, { difference, specified: allowed, statuses }) {
      if (value === 'served' && isOtherValueOfModel(difference)) return [...statuses, '2xx']
      if (!concerns(difference, allowed)) return statuses
      const declared = value === 'served' ? '2xx' : value
      // RFC 9110 (15.5.21) reserves 422 for content that a server can parse, so it may send 400 for a body that it cannot.
      return 'body' in difference || 'bodyText' in difference
        ? [...statuses, declared]
        : statuses.map((status) => (status === specified ? declared : status))
    },
    judge(value, outcome) {
      if (isStatusMissing(outcome, specified)) return mayBeMissing(outcome) ? outcome : undefined
      const { code, params, expected, difference } = outcome
      if (expected === undefined || !('status' in expected) || 'sdkError' in expected) return undefined
      if (difference === undefined || !concerns(difference, expected.status)) return undefined
      const isShown = isDeparture(outcome) && code === 'unexpected-status' && params.actualStatus === value
      return isShown ? markDeclared(outcome) : undefined
    },
    detect({ verdict, code, params, expected, difference }) {
      if (verdict !== 'fail' || code !== 'unexpected-status' || difference === undefined) return undefined
      if (expected === undefined || !('status' in expected) || 'sdkError' in expected) return undefined
      if (!concerns(difference, expected.status)) return undefined
      const { actualStatus } = params
      if (actualStatus >= 400 && actualStatus < 500) return actualStatus
      return isServedResult(params) && parts.includes('model') ? 'served' : undefined
    },
  }
}

/** Returns whether a request has a model that is not a string. A server that does not read the model serves it, too. */
function isOtherValueOfModel(difference: RequestDifference): boolean {
  return (
    'parameter' in difference &&
    difference.parameter === 'model' &&
    'value' in difference &&
    typeof difference.value !== 'string'
  )
}

/** Differences of the status for invalid requests, by their name in a target file. */
export const STATUS_DIFFERENCES = {
  validationErrors: defineStatusDifference('validation errors', 400, ['value', 'body']),
  // Both requests get 404: a single check provokes it with an unknown model, and some request of the run gets it.
  unknownModels: defineStatusDifference(
    'requests with an unknown model',
    404,
    ['model'],
    ({ code }) => code === 'error-not-provoked',
  ),
  unknownEndpoints: defineStatusDifference(
    'requests to unknown endpoints',
    404,
    ['endpoint'],
    ({ code }) => code === 'status-not-seen',
  ),
  invalidKeys: defineStatusDifference('requests without a valid key', 401, ['credential']),
  // Only unknown models can be `served`.
  missingCredits: defineStatusDifference('accounts without credits', 402, ['account']) as DifferenceKind<number>,
} as const
