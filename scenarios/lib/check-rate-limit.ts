import type { CheckResult, ExtensionResult } from './extension-result.ts'
import type { DeclaredLimit } from './option-values.ts'

/** Range of the number of requests that a limiter may have allowed. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

/** Requests that reached the limiter. */
export interface SentRequests {
  readonly requests: number
  /** Minimum and maximum time from the first to the last request. Times are known to the second. */
  readonly shortestS: number
  readonly longestS: number
  /** True if clients sent requests without pauses, so that they used everything that the limit allowed. */
  readonly isSaturated: boolean
}

/**
 * Returns the number of requests that a limit allows, if the account was idle before. A bucket allows its capacity plus
 * its refill. A window of any kind allows its number for each window that the run may overlap.
 */
export function predictAdmitted(limit: DeclaredLimit, offered: SentRequests): Bounds {
  const { requests, windowS, burst } = limit
  const perSecond = requests / windowS
  const most =
    burst === undefined
      ? requests * (Math.floor(offered.longestS / windowS) + 2)
      : burst + Math.floor(offered.longestS * perSecond) + 1
  const sure =
    burst === undefined
      ? requests * Math.max(1, Math.floor(offered.shortestS / windowS))
      : burst + Math.floor(offered.shortestS * perSecond)
  const isScarce = offered.isSaturated || offered.requests <= (burst ?? requests)
  return { min: isScarce ? Math.min(offered.requests, sure) : 0, max: Math.min(most, offered.requests) }
}

/** Checks a whole run against a declared limit. One of several processes sees only a part of the requests. */
export function checkRateLimit(limit: DeclaredLimit, isSaturated: boolean, result: ExtensionResult): CheckResult[] {
  const counted = Object.values(result.operations)
  const admitted = counted.reduce((sum, { byStatus }) => sum + (byStatus['200'] ?? 0), 0)
  const refused = counted.reduce((sum, { byStatus }) => sum + (byStatus['429'] ?? 0), 0)
  const busy = result.series.filter(({ requests }) => requests > 0).map(({ atS }) => atS)
  const seconds = Math.max(...busy, 0) - Math.min(...busy, 0)
  const { min: least, max: most } = predictAdmitted(limit, {
    requests: admitted + refused,
    shortestS: Math.max(0, seconds - 1),
    longestS: seconds + 1,
    isSaturated,
  })
  const amount = `${admitted} of ${admitted + refused} requests were admitted`
  return [
    claim(`no more than ${most} requests are admitted (${amount})`, refused > 0 || admitted > most, admitted <= most),
    claim(`at least ${least} requests are admitted (${amount})`, admitted + refused > 0, admitted >= least),
  ]
}

/** A check that was never tested has 0 passes and 0 fails. */
function claim(name: string, isTested: boolean, holds: boolean): CheckResult {
  return { name, passes: isTested && holds ? 1 : 0, fails: isTested && !holds ? 1 : 0 }
}
