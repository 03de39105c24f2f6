import type { CheckEntry, ConformanceDocument } from './conformance-document.ts'
import { isExemptCheck } from './conformance-verdict.ts'
import { formatCount } from './console/terminal-text.ts'
import { findEarlyEnds, findServiceHint } from './remarks.ts'

/**
 * Describes why a run is incomplete: the most frequent reason for required checks that could not be tested, or the
 * budgets without enough samples. Returns undefined for other verdicts, and if the headline or a remark below it names
 * the reason: the run ended early, or the target looks like a different service.
 */
export function describeIncompleteReason(document: ConformanceDocument): string | undefined {
  const { verdict, target, budgets = [] } = document
  const isNamed = target.problem !== undefined || findEarlyEnds(document).length > 0
  if (verdict !== 'incomplete' || isNamed || findServiceHint(document) !== undefined) return undefined
  const untested = document.checks.filter((check) => isRequired(check, document.strict))
  const [first, ...others] = groupByReason(document, untested)
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${formatCount(others.length, 'other reason')}, listed below)`
    return `Incomplete because ${formatCount(first.checks, 'check')} could not be tested: ${first.reason}${more}`
  }
  const short = budgets.filter((budget) => budget.verdict === 'insufficient samples')
  return short.length === 0
    ? undefined
    : `Incomplete because of budgets without enough samples: ${short.map(({ metric, statistic }) => `${metric}.${statistic}`).join(', ')}`
}

/** Returns whether a check that could not be tested makes its run incomplete. */
function isRequired(check: CheckEntry, isStrict: boolean): boolean {
  if (check.verdict !== 'not-testable' || isExemptCheck(check)) return false
  return check.level === 'stated' || check.declared !== undefined || (isStrict && check.level === 'convention')
}

interface Reason {
  readonly reason: string
  readonly checks: number
}

/** Counts the checks of each cause. Lists the cause with the most checks first. */
function groupByReason({ causes }: ConformanceDocument, checks: readonly CheckEntry[]): Reason[] {
  const ids = new Set(checks.map(({ id }) => id))
  return causes
    .map(({ title, checks: ofCause }) => ({ reason: title, checks: ofCause.filter((id) => ids.has(id)).length }))
    .filter((reason) => reason.checks > 0)
    .toSorted((a, b) => b.checks - a.checks)
}
