import type { OptionNamer } from '../options/option-names.ts'
import type { CheckWithReason } from '../options/table-options.ts'
import type { LatencyBudget } from '../latency/budget.ts'
import type { Requirement } from '../requirements/requirement.ts'
import type { Target } from '../targets/target.ts'
import type { AnyCheck } from './check.ts'

/** All settings of a run except the plan. */
export interface RunSettings {
  /** Names the options that texts of the document mention. */
  readonly nameOption: OptionNamer
  readonly target: Target
  /** Check ids, requirement ids or sections. An empty list selects all checks. */
  readonly only: readonly string[]
  readonly skip: readonly string[]
  /** Whether to run the checks with a client SDK. */
  readonly sdk: boolean
  /** Whether to run the checks of the group `agents`. */
  readonly agents: boolean
  /** Deadline of one request. */
  readonly timeoutMs: number
  /** Number of checks that run at the same time. */
  readonly concurrency: number
  readonly maxRequests?: number
  /** Spend limit in credits, compared with the upper bound by the price table. */
  readonly maxCredits?: number
  /** The same seed produces the same requests, byte for byte. */
  readonly nonceSeed: string
  readonly budgets: readonly LatencyBudget[]
  /** Requests for each operation with a budget. Defaults to the number that the budgets need. */
  readonly samples?: number
  /** Checks that are known to fail, by id. */
  readonly knownFailures: readonly CheckWithReason[]
  /** Checks accepted as not testable: check ids, requirement ids or sections. */
  readonly acceptedNotTestable: readonly CheckWithReason[]
}

/** The requirements with their checks. */
export interface Suite {
  readonly requirements: readonly Requirement[]
  readonly checks: readonly AnyCheck[]
}
