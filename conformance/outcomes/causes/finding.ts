import type { Operation } from '../../../contract/facts.ts'
import type { CheckEntry } from '../../../reports/conformance-document.ts'
import type { Outcome } from '../outcome.ts'

/** The result of a check, as the search for causes sees it. */
export interface Finding {
  readonly entry: CheckEntry
  readonly operation: Operation
  readonly outcome: Outcome
}

/**
 * A cause that a finding may have in common with others. Findings with the same key have the same cause. A hypothesis
 * must be true of each finding that names it: the search only counts.
 */
export interface Hypothesis {
  readonly key: string
  /** Names the cause in plain English, without the number of its checks. */
  title(members: readonly Finding[]): string
  /** More general hypotheses, from narrow to wide: causes of the same family may be merged into one. */
  readonly families?: readonly CauseFamily[]
}

/** A wider hypothesis, which holds for several causes. */
export type CauseFamily = Pick<Hypothesis, 'key' | 'title'>
