import type { Outcome } from '../findings/outcome.ts'
import { type DifferenceKind, isServedResult, isStatusMissing, markDeclared } from './difference-kind.ts'

/** The target has no keys: it serves every request, whatever its header Authorization. */
export const AUTHENTICATION: DifferenceKind<'none'> = {
  text: () => 'no keys',
  replaceStatuses: (_value, { difference, statuses }) =>
    'credential' in difference ? statuses.map((status) => (status === 401 ? '2xx' : status)) : statuses,
  judge(_value, outcome) {
    if (isStatusMissing(outcome, 401)) return outcome
    return expectsKeyPrefix(outcome) ? markDeclared(outcome) : undefined
  },
  detect({ verdict, code, params, difference }) {
    const isServed = verdict === 'fail' && code === 'unexpected-status' && isServedResult(params)
    return isServed && difference !== undefined && 'credential' in difference ? 'none' : undefined
  },
}

/** Returns whether a check evaluates the form of a key. */
function expectsKeyPrefix({ expected }: Outcome): boolean {
  return expected !== undefined && 'rule' in expected && expected.rule === 'key-prefix'
}
