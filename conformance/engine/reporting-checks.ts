import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '../../contract/facts.ts'
import type { CheckEntry } from '../../reports/conformance-document.ts'
import { describeAcceptance } from '../differences/declared-differences.ts'
import type { AnyFinding } from '../findings/define.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { AnyCheck } from './check.ts'
import type { CheckResult } from './run-check.ts'
import type { Suite } from './settings.ts'

/** Maximum number of checks that refer to each other, one after another. */
const MAX_CHAIN = 3

/**
 * Names the failed check that reports why a check is not testable. A failure with the same reason, such as a request
 * that is served without credits by a target that accepts every key, also becomes not testable. Without such a check,
 * or if it did not fail, a result stays unchanged.
 */
export function nameReportingChecks(
  results: readonly CheckResult[],
  { findReportingCheck }: Suite,
  checks: ReadonlyMap<string, PlannedCheck>,
): CheckResult[] {
  const byId = new Map(results.map((result) => [result.entry.id, result]))
  const outcomeOf = (id: string): Outcome | undefined => byId.get(id)?.outcome
  /** Finds the check that found the same deviation in the plain response. */
  const findSame = (deviation: AnyFinding, operation: Operation | undefined): CheckResult | undefined =>
    results.find(({ entry, outcome }) => {
      const isSame = isDeepStrictEqual(subjectOf(outcome), subjectOf(deviation))
      return isSame && checks.get(entry.id)?.operation === operation
    })
  const findReason = ({ entry, outcome }: CheckResult): CheckResult | undefined => {
    const check = checks.get(entry.id)
    if (outcome.code === 'plain-response-deviates') return findSame(outcome.params.deviation, check?.operation)
    if (check === undefined) return undefined
    const id = findReportingCheck?.(outcome, check.operation, outcomeOf)
    const named = id === undefined || id === entry.id ? undefined : byId.get(id)
    if (named !== undefined && isFinding(named)) return named
    return results.find((one) => isOfRejectedParameter(outcome, check, one, checks.get(one.entry.id))) ?? named
  }
  const findReport = (result: CheckResult, left = MAX_CHAIN): CheckResult | undefined => {
    const reason = left === 0 ? undefined : findReason(result)
    if (reason === undefined) return undefined
    const isReported = isFinding(reason) && !isRejectedCredential(reason.outcome)
    return findReport(reason, left - 1) ?? (isReported ? reason : undefined)
  }
  return results.map((result) => {
    const { entry, outcome } = result
    const report = entry.verdict === 'not-testable' || entry.verdict === 'fail' ? findReport(result)?.entry : undefined
    if (report === undefined || (entry.verdict === 'fail' && report.verdict === 'warn')) return result
    const actual = `${report.id} ${REPORTS[report.verdict]}: ${entry.actual}`
    // A check that a declared difference makes not testable does not make the run incomplete.
    const accepted = report.verdict === 'declared' ? { accepted: describeAcceptance(report.differences ?? []) } : {}
    return {
      entry: { ...entry, verdict: 'not-testable', because: report.id, actual, ...accepted },
      outcome: { ...outcome, verdict: 'not-testable' },
    }
  })
}

/** Returns what a deviation concerns. The value of a field, such as a time, differs between responses. */
function subjectOf({ code, params }: AnyFinding): readonly unknown[] {
  return [code, 'path' in params ? params.path : params]
}

function isFinding({ entry: { verdict } }: CheckResult): boolean {
  return verdict in REPORTS
}

/** Verdicts of checks that report the reason of other outcomes, as verbs. */
const REPORTS: Readonly<Partial<Record<CheckEntry['verdict'], string>>> = {
  fail: 'failed',
  warn: 'warned',
  declared: 'shows a declared difference',
}

/** Returns whether another check found that the target rejects or requires the parameter that explains this outcome. */
function isOfRejectedParameter(
  outcome: Outcome,
  { operation, parameter }: PlannedCheck,
  other: CheckResult,
  otherCheck: PlannedCheck | undefined,
): boolean {
  const { code, params } = other.outcome
  if (code !== 'served-only-otherwise' || outcome.code === code || otherCheck?.operation !== operation) return false
  if (!('actualStatus' in outcome.params) || outcome.params.actualStatus !== params.actualStatus) return false
  const isOfAll = outcome.difference !== undefined && 'responses' in outcome.difference
  const { servedWith } = params
  return 'parameter' in servedWith && (isOfAll || ('omitted' in servedWith && servedWith.parameter === parameter))
}

/** Returns whether the target rejected invalid credentials, only with a wrong status. It then distinguishes keys. */
function isRejectedCredential(outcome: Outcome): boolean {
  if (outcome.code !== 'unexpected-status' || outcome.difference === undefined) return false
  return 'credential' in outcome.difference && outcome.params.actualStatus >= 300
}

type PlannedCheck = Pick<AnyCheck, 'operation' | 'parameter'>
