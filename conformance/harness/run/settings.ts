import type { Requirement } from '../../requirements/requirement.ts'
import type { Target } from '../../targets/target.ts'
import type { Check } from '../check.ts'

/** All that decides a run. Plain data: it crosses threads. */
export interface RunSettings {
  readonly target: Target
  /** Check ids, requirement ids or sections; empty means all. */
  readonly only: readonly string[]
  readonly skip: readonly string[]
  /** Per request. */
  readonly timeoutMs: number
  /** Checks at the same time. */
  readonly concurrency: number
  readonly maxRequests?: number
  /** In credits, against the upper bound by the price table. */
  readonly maxCredits?: number
  /** Same seed, same requests byte for byte. */
  readonly nonceSeed: string
}

/** Requirement rows with the checks that rest on them. */
export interface Suite {
  readonly requirements: readonly Requirement[]
  readonly checks: readonly Check[]
}
