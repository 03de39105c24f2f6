import type { Operation } from '../../../contract/facts.ts'
import type { ResponseParams } from '../../findings/observed-facts.ts'
import type { MissingEvidence } from '../../findings/not-tested.ts'
import type { Outcome } from '../../findings/outcome.ts'

/**
 * Checks that report why others of the operation cannot be tested: requests break down, get 404 or another rejection,
 * or every key is rejected or accepted.
 */
const BASE_CHECKS: Readonly<
  Record<Operation, Readonly<Record<'breakdown' | 'offered' | 'key' | 'unknownKey', string>>>
> = {
  models: {
    breakdown: '7/breakdown-models',
    offered: '1/models-offered',
    key: '5/valid-key-models',
    unknownKey: '5/unknown-key-models',
  },
  chat: {
    breakdown: '7/breakdown-chat',
    offered: '1/chat-offered',
    key: '5/valid-key-chat',
    unknownKey: '5/unknown-key-chat',
  },
  images: {
    breakdown: '7/breakdown-images',
    offered: '1/images-offered',
    key: '5/valid-key-images',
    unknownKey: '5/unknown-key-images',
  },
  transcriptions: {
    breakdown: '7/breakdown-transcriptions',
    offered: '1/transcriptions-offered',
    key: '5/valid-key-transcriptions',
    unknownKey: '5/unknown-key-transcriptions',
  },
  speech: {
    breakdown: '7/breakdown-speech',
    offered: '1/speech-offered',
    key: '5/valid-key-speech',
    unknownKey: '5/unknown-key-speech',
  },
}

/** Checks that report that evidence is missing. */
const CHECKS_OF_EVIDENCE: Readonly<Partial<Record<MissingEvidence, string>>> = {
  usage: '2.3/usage',
  'completion-id': '2.3/id',
  'listed-model': '2.1/all-listed',
  'limited-response': '7/rate-limit-exceeded',
  'conforming-chat-errors': '7/error-body-400',
  'stream-ends': '7/breakdown-chat',
}

/**
 * Returns the ID of the check that reports the reason for an outcome, if it fails: that the target does not serve the
 * operation, or does not check keys, so that it cannot know the account.
 */
export function findReportingCheck(outcome: Outcome, operation: Operation): string | undefined {
  const base = BASE_CHECKS[operation]
  switch (outcome.code) {
    case 'request-not-served':
    case 'request-broke-down':
    case 'control-request-not-served':
      return checkOfResponse(outcome.params, operation)
    case 'operation-broke-down':
      return BASE_CHECKS[outcome.params.operation].breakdown
    case 'no-model-found':
      return BASE_CHECKS[outcome.params.operation].offered
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
  const { breakdown, key, offered } = BASE_CHECKS[operation]
  if (error !== undefined || actualStatus >= 500) return breakdown
  if (actualStatus === 401) return key
  return actualStatus === 402 || actualStatus === 429 ? undefined : offered
}

function isServedWithoutCredits({ difference, params }: Extract<Outcome, { code: 'unexpected-status' }>): boolean {
  const isServed = params.actualStatus >= 200 && params.actualStatus < 300
  return isServed && difference !== undefined && 'account' in difference
}
