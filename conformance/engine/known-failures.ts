import type { CheckEntry } from '../../reports/conformance-document.ts'
import type { CheckWithReason } from '../options/table-options.ts'
import type { RunRemark } from '../findings/run-remark.ts'

/** Lists of checks that the tester accepts although they fail or are not testable. */
export interface AcceptedChecks {
  /** Checks that may fail, by ID. */
  readonly knownFailures: readonly CheckWithReason[]
  /** Checks that may be not testable, by check ID, requirement ID or section. */
  readonly acceptedNotTestable: readonly CheckWithReason[]
}

/**
 * Marks the checks that the lists contain. `problems` reports outdated items of the list of known failures: a check
 * with the verdict `pass` or `observed`, or an ID that belongs to no check.
 */
export function applyAcceptedChecks(
  checks: readonly CheckEntry[],
  { knownFailures, acceptedNotTestable }: AcceptedChecks,
  allIds: ReadonlySet<string>,
): { readonly checks: readonly CheckEntry[]; readonly problems: readonly RunRemark[] } {
  const marked = checks.map((check) => ({
    ...check,
    ...markOf(
      'knownFailure',
      FAILING,
      check,
      knownFailures.find(({ id }) => id === check.id),
    ),
    ...markOf(
      'accepted',
      WITHOUT_RESULT,
      check,
      acceptedNotTestable.find(({ id }) => matchesSelector(id, check)),
    ),
  }))
  const problems = knownFailures.flatMap(({ id }): RunRemark[] => {
    const check = checks.find((entry) => entry.id === id)
    if (!allIds.has(id)) {
      return [{ code: 'known-failure-unknown', params: { id } }]
    }
    const isSound = check?.verdict === 'pass' || check?.verdict === 'observed'
    return isSound ? [{ code: 'known-failure-passed', params: { id } }] : []
  })
  return { checks: marked, problems }
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
