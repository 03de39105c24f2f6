import type { CheckEntry } from '../../reports/conformance-document.ts'
import { DIFFERENCE_NAMES } from '../differences/declared-differences.ts'
import type { CheckWithReason } from '../options/table-options.ts'
import { FINDING_CODES } from '../findings/families.ts'
import type { RunRemark } from '../findings/run-remark.ts'

/** Lists of checks that the tester accepts although they fail or are not testable. */
export interface AcceptedChecks {
  /**
   * Checks that may fail, by check ID, requirement ID, section, code of the finding, such as `stream-in-bursts`, or ID of
   * the cause, such as `unexpected-status:422:400:invalid`. Declared differences that may occur in a strict run, by name.
   */
  readonly knownFailures: readonly CheckWithReason[]
  /** Checks that may be not testable, by check ID, requirement ID or section. */
  readonly acceptedNotTestable: readonly CheckWithReason[]
}

/**
 * Marks the checks that the lists contain. `remarks` reports outdated items of the list of known failures: those that were
 * repaired, because checks that they select passed and none failed, and those that select no check. A code or a cause is
 * repaired if a whole run with a result of each check has no such finding.
 * @param causeOf returns the ID of the cause of a check
 * @param isWhole whether the run selected all checks and did not end early
 */
export function applyAcceptedChecks(
  checks: readonly CheckEntry[],
  { knownFailures, acceptedNotTestable }: AcceptedChecks,
  allChecks: readonly SelectedCheck[],
  causeOf: (check: CheckEntry) => string | undefined,
  isWhole = false,
): { readonly checks: readonly CheckEntry[]; readonly remarks: readonly RunRemark[] } {
  const isFound = ({ id }: CheckWithReason, check: CheckEntry): boolean => {
    if (check.verdict === 'declared') return check.differences?.includes(id) === true
    return FAILING.includes(check.verdict) && (check.code === id || causeOf(check) === id)
  }
  const marked = checks.map((check) => ({
    ...check,
    ...markOf(
      'knownFailure',
      knownFailures.find(
        (one) => isFound(one, check) || (FAILING.includes(check.verdict) && matchesSelector(one.id, check)),
      ),
    ),
    ...markOf(
      'accepted',
      check.verdict === 'not-testable' ? acceptedNotTestable.find(({ id }) => matchesSelector(id, check)) : undefined,
    ),
  }))
  const known = new Set(marked.filter(({ knownFailure }) => knownFailure !== undefined).map(({ id }) => id))
  const judged = marked.map((check) => acceptConsequence(check, known))
  const isConclusive = isWhole && judged.every(hasResult)
  const isGeneral = ({ id }: CheckWithReason): boolean =>
    FINDING_CODES.includes(id.split(':')[0] ?? '') || DIFFERENCE_NAMES.includes(id)
  const isUnknown = (item: CheckWithReason): boolean =>
    !isGeneral(item) && !allChecks.some((check) => matchesSelector(item.id, check))
  const repaired = knownFailures.filter((item) =>
    isGeneral(item)
      ? isConclusive && !judged.some((check) => isFound(item, check))
      : isRepaired(judged.filter((check) => matchesSelector(item.id, check))),
  )
  return {
    checks: judged,
    remarks: [
      ...knownFailures
        .filter(isUnknown)
        .map(({ id }): RunRemark => ({ code: 'known-failure-unknown', params: { id } })),
      ...(repaired.length === 0
        ? []
        : [{ code: 'known-failures-repaired', params: { ids: repaired.map(({ id }) => id) } } as const]),
    ],
  }
}

/** Accepts that a check is not testable if a known failure reports the reason. */
function acceptConsequence(check: CheckEntry, known: ReadonlySet<string>): CheckEntry {
  const { verdict, because = '', accepted } = check
  const isConsequence = verdict === 'not-testable' && accepted === undefined && known.has(because)
  return isConsequence ? { ...check, accepted: `because of the known failure ${because}` } : check
}

/** A check with the fields by which an item of a list selects it. */
type SelectedCheck = Parameters<typeof matchesSelector>[1]

/** Returns whether at least one of these checks passed, and none failed or had no result. */
function isRepaired(checks: readonly CheckEntry[]): boolean {
  return checks.length > 0 && checks.every(({ verdict }) => verdict === 'pass' || verdict === 'observed')
}

/** Returns whether a check shows what the target does, or whether the owner accepts that it does not. */
function hasResult({ verdict, level, accepted }: CheckEntry): boolean {
  return verdict !== 'error' && (verdict !== 'not-testable' || level === 'unspecified' || accepted !== undefined)
}

const FAILING: readonly CheckEntry['verdict'][] = ['fail', 'warn']

function markOf(name: 'knownFailure' | 'accepted', item: CheckWithReason | undefined): Partial<CheckEntry> {
  return item === undefined ? {} : { [name]: item.reason }
}

/** Returns whether a selector is the ID of a check or of its requirement, or a section that contains it. */
export function matchesSelector(
  selector: string,
  { id, requirement, section }: { readonly id: string; readonly requirement: string; readonly section: string },
): boolean {
  return id === selector || requirement === selector || section === selector || section.startsWith(`${selector}.`)
}
