import { type Operation, OPERATIONS } from '../../../contract/facts.ts'
import type { ResponseParams } from '../../findings/fact-params.ts'
import type { ImageProblem } from '../../findings/media.ts'
import type { MissingEvidence } from '../../findings/not-tested.ts'
import type { Outcome } from '../../findings/outcome.ts'
import { nextRequestAfterAbort } from '../4.2-stream/aborted-streams.ts'
import { responseCacheCheck } from '../5-keys-and-credits/response-cache.ts'

/** Returns the checks that report why others of the operation cannot be tested. */
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

/** Checks that report why an image cannot be read. */
const CHECKS_OF_IMAGES: Readonly<Partial<Record<ImageProblem, string>>> = {
  'no-url': '2.4/data',
  'outside-base-address': '2.4/url-address',
  'no-extension': '2.4/url-extension',
  'not-an-image': '2.4/file-kind',
  empty: '2.4/file-kind',
}

/**
 * Returns the ID of the check that reports the reason for an outcome, if it fails: that the target does not serve the
 * operation, that a cache responds, or that the target serves requests with unknown keys, so that it cannot know the
 * account.
 */
export function findReportingCheck(
  outcome: Outcome,
  operation: Operation,
  outcomeOf: (id: string) => Outcome | undefined = () => undefined,
): string | undefined {
  if (isRejectedAlike(outcome, operation, outcomeOf(REJECTED_IN_PARALLEL))) return REJECTED_IN_PARALLEL
  const base = findBaseChecks(operation)
  if (isBrokenSincePoison(outcome, outcomeOf(base.breakdown))) return base.breakdown
  if (isLimitedSinceAborts(outcome, outcomeOf(nextRequestAfterAbort.id))) return nextRequestAfterAbort.id
  switch (outcome.code) {
    case 'request-not-served':
    case 'request-broke-down':
    case 'control-request-not-served':
      return checkOfResponse(outcome.params, operation)
    case 'operation-broke-down':
      return outcome.params.isErrorInStream === true
        ? STREAM_ERRORS
        : findBaseChecks(outcome.params.operation).breakdown
    case 'no-model-found':
      return findBaseChecks(outcome.params.operation).offered
    case 'no-evidence':
      return outcome.params.missing === 'recorded-response' ? base.offered : CHECKS_OF_EVIDENCE[outcome.params.missing]
    case 'image-unreadable':
      return CHECKS_OF_IMAGES[outcome.params.problem]
    case 'balance-exceeded':
    case 'limit-not-enforced':
    case 'limit-not-reached':
      return base.unknownKey
    case 'unexpected-status':
      if (!isServedAnyway(outcome)) return undefined
      if (outcomeOf(responseCacheCheck.id)?.verdict === 'fail') return responseCacheCheck.id
      return 'account' in outcome.difference ? base.unknownKey : undefined
    default:
      return undefined
  }
}

const REJECTED_IN_PARALLEL = '7/rejected-in-parallel'

/** Returns whether an outcome concerns a status with which the target rejects valid requests to the endpoint under load. */
function isRejectedAlike({ params }: Outcome, operation: Operation, report: Outcome | undefined): boolean {
  if (report?.code !== 'rejected-in-parallel' || !('actualStatus' in params) || 'error' in params) return false
  const { method, path } = OPERATIONS[operation]
  const lacksResult = 'lacksResult' in params ? params.lacksResult : undefined
  return report.params.by.some(
    (group) =>
      group.endpoint === `${method} ${path}` &&
      group.actualStatus === params.actualStatus &&
      group.lacksResult === lacksResult,
  )
}

/** Returns whether a request broke down on a target that no longer serves the operation after one of its requests. */
function isBrokenSincePoison({ code, params }: Outcome, report: Outcome | undefined): boolean {
  if (report?.code !== 'requests-broke-down' || report.params.since === undefined) return false
  if (code === 'operation-timed-out') return true
  return 'actualStatus' in params && (params.actualStatus >= 500 || 'error' in params)
}

/** Returns whether a request got only 429s on a target that serves no further request after clients abort streams. */
function isLimitedSinceAborts({ code, params }: Outcome, report: Outcome | undefined): boolean {
  if (report?.code !== 'not-served-after-aborts') return false
  return code === 'rate-limited' || ('actualStatus' in params && params.actualStatus === 429)
}

/** Check that reports errors in streams. */
const STREAM_ERRORS = '4.2/every-stream'

function checkOfResponse(
  { actualStatus, error, isErrorInStream, isErrorInBody }: ResponseParams,
  operation: Operation,
): string | undefined {
  const { breakdown, key, offered } = findBaseChecks(operation)
  if (isErrorInStream === true) return STREAM_ERRORS
  if (error !== undefined || actualStatus >= 500 || isErrorInBody === true) return breakdown
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
