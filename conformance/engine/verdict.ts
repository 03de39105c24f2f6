import type { CheckEntry, RunVerdict, Summary } from '../../reports/conformance-document.ts'

/** Counts checks by verdict. */
export function summarise(checks: readonly Pick<CheckEntry, 'verdict'>[]): Summary {
  const count = (verdict: CheckEntry['verdict']): number => checks.filter((check) => check.verdict === verdict).length
  return {
    pass: count('pass'),
    fail: count('fail'),
    warn: count('warn'),
    observed: count('observed'),
    notTestable: count('not-testable'),
    error: count('error'),
  }
}

/** What of a check's entry bears on the verdict of the run. */
export type CountedCheck = Pick<CheckEntry, 'verdict' | 'level' | 'declared' | 'knownFailure' | 'accepted'>

/** What bears on the verdict beside the checks: budgets, and lists that no longer tell the truth. */
export interface OtherProblems {
  readonly isBroken: boolean
  readonly isIncomplete: boolean
}

/**
 * The verdict on a run. A contradiction outweighs an error of the suite, and that outweighs what could not be tested. An
 * observation that could not be made leaves the verdict alone, and so does a convention unless the run is strict: neither
 * could have changed it.
 */
export function verdictOf(
  checks: readonly CountedCheck[],
  isStrict: boolean,
  beside: OtherProblems = { isBroken: false, isIncomplete: false },
): RunVerdict {
  const summary = summarise(checks)
  const unknown = summarise(checks.filter(({ knownFailure }) => knownFailure === undefined))
  if (unknown.fail > 0 || (isStrict && unknown.warn > 0) || beside.isBroken) {
    return 'non-conformant'
  }
  if (summary.error > 0) {
    return 'harness-error'
  }
  const counts = ({ level, declared }: CountedCheck): boolean =>
    level === 'stated' || declared !== undefined || (isStrict && level === 'convention')
  const isIncomplete = checks.some(
    (check) => check.verdict === 'not-testable' && check.accepted === undefined && counts(check),
  )
  return isIncomplete || beside.isIncomplete || hasRunNothing(summary) ? 'incomplete' : 'conformant'
}

/** Exit code of the process; wrong usage, 2, never gets this far. */
export function exitCodeOf(verdict: RunVerdict, summary: Summary, acceptsIncomplete: boolean): 0 | 1 | 3 | 4 {
  switch (verdict) {
    case 'non-conformant':
      return 1
    case 'harness-error':
      return 4
    case 'incomplete':
      return acceptsIncomplete && !hasRunNothing(summary) ? 0 : 3
    case 'conformant':
      return 0
  }
}

/** A run that tested nothing proves nothing, whatever its user accepts. Errors of the suite were judged before. */
function hasRunNothing(summary: Summary): boolean {
  return summary.pass + summary.fail + summary.warn + summary.observed === 0
}
