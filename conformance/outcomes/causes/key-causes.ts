import { parseJson } from '../../http/decode-body.ts'
import type { Outcome } from '../outcome.ts'
import type { CheckFinding, PossibleCause } from './finding.ts'
import { getErrorStatuses, type RunFacts } from './run-facts.ts'
import { getMember } from './title-parts.ts'

const SOMETIMES_REJECTED: PossibleCause = {
  key: 'key sometimes rejected',
  title: (members) => {
    const model = findOnlyModel(members)
    return model === undefined
      ? 'Some requests with a valid key get 401, and others are served (a replica without the key has this effect)'
      : `Requests with a valid key for the model \`${model}\` get 401`
  },
}

/** Returns the model that explains all findings: the target rejects the key only for this model. */
function findOnlyModel(members: readonly CheckFinding[]): string | undefined {
  const model = members.map(({ outcome }) => findRejectedModel(outcome)).find((one) => one !== undefined)
  return model !== undefined && members.every((one) => namesModel(one, model)) ? model : undefined
}

/** Returns the model of a finding about all responses if only responses of this model are 401s. */
function findRejectedModel({ difference }: Outcome): string | undefined {
  return difference !== undefined && 'of' in difference ? difference.model : undefined
}

/** Returns whether a finding concerns requests for the model: those of the finding, or its last rejected request. */
function namesModel({ entry, outcome }: CheckFinding, model: string): boolean {
  if (findRejectedModel(outcome) === model) return true
  const rejected = entry.evidence?.findLast(({ response }) => response?.status === 401)
  return getMember(parseJson(rejected?.request.body ?? ''), 'model') === model
}

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
