import type { Operation } from '../../../contract/facts.ts'
import type { ResponseParams } from '../../findings/fact-params.ts'
import type { MissingEvidence } from '../../findings/not-tested.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { responseCacheCheck } from '../5-keys-and-credits/response-cache.ts'

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
 * Returns the IDs of the checks that may report the reason for an outcome. The first one that fails reports it: that the
 * target does not serve the operation, that a cache responds, or that the target serves requests with unknown keys, so
 * that it cannot know the account.
 */
export function listReportingChecks(outcome: Outcome, operation: Operation): readonly string[] {
  if (outcome.code === 'unexpected-status' && isServedAnyway(outcome)) {
    return [responseCacheCheck.id, ...('account' in outcome.difference ? [findBaseChecks(operation).unknownKey] : [])]
  }
  const id = findReportingCheck(outcome, operation)
  return id === undefined ? [] : [id]
}

function findReportingCheck(outcome: Outcome, operation: Operation): string | undefined {
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

type OfStatus = Extract<Outcome, { code: 'unexpected-status' }>
type OfKey = OfStatus & { readonly difference: { readonly account: string } | { readonly credential: string } }

/** Returns whether the target served a request with an invalid key, or of an account without credits. */
function isServedAnyway(outcome: OfStatus): outcome is OfKey {
  const { difference, params } = outcome
  const isOfKey = difference !== undefined && ('account' in difference || 'credential' in difference)
  return isOfKey && params.actualStatus >= 200 && params.actualStatus < 300
}
