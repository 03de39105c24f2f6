import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { CheckWithReason } from '../options/table-options.ts'
import { FINDING_CODES } from '../findings/families.ts'
import type { RunRemark } from '../findings/run-remark.ts'

/** Lists of checks that the tester accepts although they fail or are not testable. */
export interface AcceptedChecks {
  /**
   * Checks that may fail, by check ID, requirement ID, section, code of the finding, such as `stream-in-bursts`, or ID of
   * the cause, such as `unexpected-status:422:400:invalid`.
   */
  readonly knownFailures: readonly CheckWithReason[]
  /** Checks that may be not testable, by check ID, requirement ID or section. */
  readonly acceptedNotTestable: readonly CheckWithReason[]
}

/**
 * Marks the checks that the lists contain. `remarks` reports outdated items of the list of known failures: those that were
 * repaired, because checks that they select passed and none failed, and those that select no check.
 * @param causeOf returns the ID of the cause of a check
 */
export function applyAcceptedChecks(
  checks: readonly CheckEntry[],
  { knownFailures, acceptedNotTestable }: AcceptedChecks,
  allChecks: readonly SelectedCheck[],
  causeOf: (check: CheckEntry) => string | undefined,
): { readonly checks: readonly CheckEntry[]; readonly remarks: readonly RunRemark[] } {
  const marked = checks.map((check) => ({
    ...check,
    ...markOf(
      'knownFailure',
      FAILING,
      check,
      knownFailures.find(({ id }) => matchesSelector(id, check) || check.code === id || causeOf(check) === id),
    ),
    ...markOf(
      'accepted',
      WITHOUT_RESULT,
      check,
      acceptedNotTestable.find(({ id }) => matchesSelector(id, check)),
    ),
  }))
  const isUnknown = ({ id }: CheckWithReason): boolean =>
    !FINDING_CODES.includes(id.split(':')[0] ?? '') && !allChecks.some((check) => matchesSelector(id, check))
  const repaired = knownFailures.filter(({ id }) => isRepaired(checks.filter((check) => matchesSelector(id, check))))
  const known = new Set(marked.filter(({ knownFailure }) => knownFailure !== undefined).map(({ id }) => id))
  return {
    checks: marked.map((check) => acceptConsequence(check, known)),
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

const FAILING: readonly CheckEntry['verdict'][] = ['fail', 'warn']
const WITHOUT_RESULT: readonly CheckEntry['verdict'][] = ['not-testable']

function markOf(
  name: 'knownFailure' | 'accepted',
  verdicts: readonly CheckEntry['verdict'][],
  { verdict }: CheckEntry,
  entry: CheckWithReason | undefined,
): Partial<CheckEntry> {
  return entry !== undefined && verdicts.includes(verdict) ? { [name]: entry.reason } : {}
}

/**
 * Returns whether a selector is the ID of a check, the ID of its requirement, or a section that contains the
 * requirement.
 */
export function matchesSelector(
  selector: string,
  { id, requirement, section }: { readonly id: string; readonly requirement: string; readonly section: string },
): boolean {
  return id === selector || requirement === selector || section === selector || section.startsWith(`${selector}.`)
}
