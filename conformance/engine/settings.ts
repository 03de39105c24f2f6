import type { ListedCheck } from '../options/table-options.ts'
import type { LatencyBudget } from '../latency/budget.ts'
import type { Requirement } from '../requirements/requirement.ts'
import type { Target } from '../targets/target.ts'
import type { Check } from './check.ts'

/** All that decides a run, besides the plan. */
export interface RunSettings {
  readonly target: Target
  /** Check ids, requirement ids or sections; empty means all. */
  readonly only: readonly string[]
  readonly skip: readonly string[]
  /** True makes the checks with a client SDK, too. */
  readonly sdk: boolean
  /** Per request. */
  readonly timeoutMs: number
  /** Checks at the same time. */
  readonly concurrency: number
  readonly maxRequests?: number
  /** In credits, against the upper bound by the price table. */
  readonly maxCredits?: number
  /** Same seed, same requests byte for byte. */
  readonly nonceSeed: string
  readonly budgets: readonly LatencyBudget[]
  /** Requests for each operation with a budget; what the budgets need when not given. */
  readonly samples?: number
  /** Checks that are known to fail, by id. */
  readonly knownFailures: readonly ListedCheck[]
  /** What is known not to be testable: check ids, requirement ids or sections. */
  readonly acceptedNotTestable: readonly ListedCheck[]
}

/** Requirement rows with the checks that rest on them. */
export interface Suite {
  readonly requirements: readonly Requirement[]
  readonly checks: readonly Check[]
}
