import type { CheckEntry, RunVerdict, VerdictCounts } from '../../reports/conformance-document.ts'

export function countVerdicts(checks: readonly Pick<CheckEntry, 'verdict'>[]): VerdictCounts {
  const count = (verdict: CheckEntry['verdict']): number => checks.filter((check) => check.verdict === verdict).length
  return {
    pass: count('pass'),
    fail: count('fail'),
    declared: count('declared'),
    warn: count('warn'),
    observed: count('observed'),
    notTestable: count('not-testable'),
    error: count('error'),
  }
}

/** Fields of a check's entry that determine the verdict of the run. */
export type CountedCheck = Pick<CheckEntry, 'verdict' | 'level' | 'declared' | 'knownFailure' | 'accepted'>

/** Problems that belong to no check, such as a violated budget or an early end of the run. */
export interface RunProblems {
  readonly isBroken: boolean
  readonly isIncomplete: boolean
}

/**
 * Determines the verdict of a run from its most serious result. A failure outranks an error of the suite, which
 * outranks a check that is not testable. A strict run also fails for a warning or a declared difference. A check of a convention that is not testable affects only a strict run. A
 * check of unspecified behaviour that is not testable affects the verdict only if the owner has declared the behaviour.
 */
export function determineVerdict(
  checks: readonly CountedCheck[],
  isStrict: boolean,
  other: RunProblems = { isBroken: false, isIncomplete: false },
): RunVerdict {
  const summary = countVerdicts(checks)
  const unknown = countVerdicts(checks.filter(({ knownFailure }) => knownFailure === undefined))
  if (unknown.fail > 0 || (isStrict && unknown.warn + unknown.declared > 0) || other.isBroken) return 'non-conformant'
  if (summary.error > 0) return 'harness-error'
  const counts = ({ level, declared }: CountedCheck): boolean =>
    level === 'stated' || declared !== undefined || (isStrict && level === 'convention')
  const isIncomplete = checks.some(
    (check) => check.verdict === 'not-testable' && check.accepted === undefined && counts(check),
  )
  return isIncomplete || other.isIncomplete || hasRunNothing(summary) ? 'incomplete' : 'conformant'
}

/** Returns the exit code of the process for a completed run. An invalid option exits with 2 before the run starts. */
export function getExitCode(verdict: RunVerdict, summary: VerdictCounts, acceptsIncomplete: boolean): 0 | 1 | 3 | 4 {
  const isAccepted = verdict === 'incomplete' && acceptsIncomplete && !hasRunNothing(summary)
  return isAccepted ? 0 : EXIT_CODES[verdict]
}

const EXIT_CODES = { conformant: 0, 'non-conformant': 1, incomplete: 3, 'harness-error': 4 } as const

/** Returns whether no check has a result. Such a run proves nothing, even if the user accepts an incomplete run. */
function hasRunNothing(summary: VerdictCounts): boolean {
  return summary.pass + summary.fail + summary.declared + summary.warn + summary.observed === 0
}
