import type { CheckResult, ExtensionResult } from './extension-result.ts'
import type { DeclaredLimit } from './option-values.ts'

/** Minimum and maximum number of requests that a correct rate limiter may allow. */
export interface AllowedRequestBounds {
  readonly min: number
  readonly max: number
}

/** Number of requests that reached the rate limiter, and the time during which they arrived. */
export interface SentRequests {
  readonly requests: number
  /**
   * Minimum and maximum time from the first request to the last. They differ, because times are known only to the
   * second.
   */
  readonly shortestS: number
  readonly longestS: number
  /** Whether clients sent requests without pauses, so that they used up the whole limit. */
  readonly isSaturated: boolean
}

/**
 * Returns the minimum and maximum number of requests that a limit allows for an account that was idle before. A token
 * bucket allows its capacity plus its refill. A fixed or sliding window allows its limit once for each window that the
 * run may overlap.
 */
export function predictServedRequests(limit: DeclaredLimit, offered: SentRequests): AllowedRequestBounds {
  const { requests, windowS, burst } = limit
  const perSecond = requests / windowS
  const maxAdmitted =
    burst === undefined
      ? requests * (Math.floor(offered.longestS / windowS) + 2)
      : burst + Math.floor(offered.longestS * perSecond) + 1
  const minAdmitted =
    burst === undefined
      ? requests * Math.max(1, Math.floor(offered.shortestS / windowS))
      : burst + Math.floor(offered.shortestS * perSecond)
  const isScarce = offered.isSaturated || offered.requests <= (burst ?? requests)
  return { min: isScarce ? Math.min(offered.requests, minAdmitted) : 0, max: Math.min(maxAdmitted, offered.requests) }
}

/**
 * Compares the responses of a whole run with a declared limit. Not suitable for a segment, which sends only some of the
 * run's requests.
 */
export function checkRateLimit(limit: DeclaredLimit, isSaturated: boolean, result: ExtensionResult): CheckResult[] {
  const counted = Object.values(result.operations)
  const admitted = counted.reduce((sum, { byStatus }) => sum + (byStatus['200'] ?? 0), 0)
  const rejected = counted.reduce((sum, { byStatus }) => sum + (byStatus['429'] ?? 0), 0)
  const busy = result.series.filter(({ requests }) => requests > 0).map(({ atS }) => atS)
  const seconds = Math.max(...busy, 0) - Math.min(...busy, 0)
  const { min: least, max: most } = predictServedRequests(limit, {
    requests: admitted + rejected,
    shortestS: Math.max(0, seconds - 1),
    longestS: seconds + 1,
    isSaturated,
  })
  const amount = `${admitted} of ${admitted + rejected} requests succeeded`
  return [
    createCheckResult(
      `no more than ${most} requests succeed (${amount})`,
      rejected > 0 || admitted > most,
      admitted <= most,
    ),
    createCheckResult(`at least ${least} requests succeed (${amount})`, admitted + rejected > 0, admitted >= least),
  ]
}

/** Builds the result of a check. A check that was not executed has 0 passes and 0 fails. */
function createCheckResult(name: string, isTested: boolean, holds: boolean): CheckResult {
  return { name, passes: isTested && holds ? 1 : 0, fails: isTested && !holds ? 1 : 0 }
}
