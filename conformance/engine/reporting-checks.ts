import { isDeepStrictEqual } from 'node:util'
import type { AnyFinding } from '../findings/define.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { Plan } from './plan.ts'
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
  { listReportingChecks }: Suite,
  operations: ReadonlyMap<string, PlannedOperation>,
): CheckResult[] {
  const byId = new Map(results.map((result) => [result.entry.id, result]))
  /** Finds the check that found the same deviation in the plain response. */
  const findSame = (deviation: AnyFinding, operation: PlannedOperation | undefined): CheckResult | undefined =>
    results.find(({ entry, outcome: { code, params } }) => {
      const isSame = isDeepStrictEqual({ code, params }, { code: deviation.code, params: deviation.params })
      return isSame && operations.get(entry.id) === operation
    })
  const listReasons = ({ entry, outcome }: CheckResult): readonly (CheckResult | undefined)[] => {
    const operation = operations.get(entry.id)
    if (outcome.code === 'plain-response-deviates') return [findSame(outcome.params.deviation, operation)]
    const ids = operation === undefined ? [] : (listReportingChecks?.(outcome, operation) ?? [])
    return ids.filter((id) => id !== entry.id).map((id) => byId.get(id))
  }
  const findReport = (result: CheckResult, left = MAX_CHAIN): CheckResult | undefined => {
    for (const reason of left === 0 ? [] : listReasons(result)) {
      if (reason === undefined) continue
      const isReported = isFinding(reason) && !isRejectedCredential(reason.outcome)
      const report = findReport(reason, left - 1) ?? (isReported ? reason : undefined)
      if (report !== undefined) return report
    }
    return undefined
  }
  return results.map((result) => {
    const { entry, outcome } = result
    const report = entry.verdict === 'not-testable' || entry.verdict === 'fail' ? findReport(result)?.entry : undefined
    if (report === undefined || (entry.verdict === 'fail' && report.verdict === 'warn')) return result
    const actual = `${report.id} ${report.verdict === 'fail' ? 'failed' : 'warned'}: ${entry.actual}`
    return {
      entry: { ...entry, verdict: 'not-testable', because: report.id, actual },
      outcome: { ...outcome, verdict: 'not-testable' },
    }
  })
}

function isFinding({ entry: { verdict } }: CheckResult): boolean {
  return verdict === 'fail' || verdict === 'warn'
}

/** Returns whether the target rejected invalid credentials, only with a wrong status. It then distinguishes keys. */
function isRejectedCredential(outcome: Outcome): boolean {
  if (outcome.code !== 'unexpected-status' || outcome.difference === undefined) return false
  return 'credential' in outcome.difference && outcome.params.actualStatus >= 300
}

type PlannedOperation = Plan['planned'][number]['check']['operation']
