import type { Operation } from '../../../contract/facts.ts'
import type { ResponseParams } from '../../findings/fact-params.ts'
import type { MissingEvidence } from '../../findings/not-tested.ts'
import type { Outcome } from '../../findings/outcome.ts'

/**
 * Returns the checks that report why others of the operation cannot be tested: requests break down, get 404 or another
 * rejection, or every key is rejected or accepted.
 */
function findBaseChecks(operation: Operation) {
  return {
    breakdown: `7/breakdown-${operation}`,
    offered: `1/${operation}-offered`,
    key: `5/valid-key-${operation}`,
    unknownKey: `5/unknown-key-${operation}`,
  }
}

/** Checks that report that evidence is missing. */
const CHECKS_OF_EVIDENCE: Readonly<Partial<Record<MissingEvidence, string>>> = {
  usage: '2.3/usage',
  'completion-id': '2.3/id',
  'listed-model': '2.1/all-listed',
  'limited-response': '7/rate-limit-exceeded',
  'stream-ends': '7/breakdown-chat',
}

/**
 * Returns the ID of the check that reports the reason for an outcome, if it fails: that the target does not serve the
 * operation, or serves requests with unknown keys, so that it cannot know the account.
 */
export function findReportingCheck(outcome: Outcome, operation: Operation): string | undefined {
  const base = findBaseChecks(operation)
  switch (outcome.code) {
    case 'request-not-served':
    case 'request-broke-down':
    case 'control-request-not-served':
      return checkOfResponse(outcome.params, operation)
    case 'operation-broke-down':
      return findBaseChecks(outcome.params.operation).breakdown
    case 'no-model-found':
      return findBaseChecks(outcome.params.operation).offered
    case 'no-evidence':
      return CHECKS_OF_EVIDENCE[outcome.params.missing]
    case 'balance-exceeded':
    case 'limit-not-enforced':
    case 'limit-not-reached':
      return base.unknownKey
    case 'unexpected-status':
      return isServedWithoutCredits(outcome) ? base.unknownKey : undefined
    default:
      return undefined
  }
}

function checkOfResponse({ actualStatus, error }: ResponseParams, operation: Operation): string | undefined {
  const { breakdown, key, offered } = findBaseChecks(operation)
  if (error !== undefined || actualStatus >= 500) return breakdown
  if (actualStatus === 401) return key
  return actualStatus === 402 || actualStatus === 429 ? undefined : offered
}

function isServedWithoutCredits({ difference, params }: Extract<Outcome, { code: 'unexpected-status' }>): boolean {
  const isServed = params.actualStatus >= 200 && params.actualStatus < 300
  return isServed && difference !== undefined && 'account' in difference
}
