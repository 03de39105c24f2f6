import type { CheckEntry, RunVerdict, Summary } from '../../../reports/conformance-document.ts'

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

/**
 * The verdict on a run. A contradiction outweighs an error of the suite, and that outweighs what could not be tested. An
 * observation that could not be made leaves the verdict alone, and so does a convention unless the run is strict: neither
 * could have changed it.
 */
export function verdictOf(checks: readonly Pick<CheckEntry, 'verdict' | 'level'>[], isStrict: boolean): RunVerdict {
  const summary = summarise(checks)
  if (summary.fail > 0 || (isStrict && summary.warn > 0)) {
    return 'non-conformant'
  }
  if (summary.error > 0) {
    return 'harness-error'
  }
  const counts = (level: CheckEntry['level']): boolean => level === 'stated' || (isStrict && level === 'convention')
  const isWanting = checks.some(({ verdict, level }) => verdict === 'not-testable' && counts(level))
  return isWanting || hasRunNothing(summary) ? 'incomplete' : 'conformant'
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

/** A run that tested nothing proves nothing, whatever its user accepts. */
function hasRunNothing(summary: Summary): boolean {
  return summary.pass + summary.fail + summary.warn + summary.observed + summary.error === 0
}
