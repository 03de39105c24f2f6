import type { Outcome } from '../outcome.ts'
import { createPossibleCause, type CheckFinding, type PossibleCause } from './finding.ts'
import { getErrorStatuses, type RunFacts } from './run-facts.ts'

const SOMETIMES_REJECTED = createPossibleCause(
  'key sometimes rejected',
  'Some requests with a valid key get 401, and others are served (a replica without the key has this effect)',
)

/**
 * Returns the possible cause that the target rejects a valid key in some of its requests, if an operation serves some
 * valid requests and rejects others with 401. Such a 401 then explains other findings, too.
 */
export function findKeyCauses({ outcome }: CheckFinding, { served, unserved }: RunFacts): PossibleCause[] {
  const isSometimesRejected = [...served].some((operation) => unserved.get(operation)?.includes('401') === true)
  return isSometimesRejected && isUnexpected401(outcome) ? [SOMETIMES_REJECTED] : []
}

function isUnexpected401({ params, expected }: Outcome): boolean {
  const is401 = 'actualStatus' in params && params.actualStatus === 401
  return is401 && !getErrorStatuses(expected).includes(401)
}
