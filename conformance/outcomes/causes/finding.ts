import type { Operation } from '../../../contract/facts.ts'
import type { CheckEntry } from '../../../reports/conformance-document.ts'
import type { Outcome } from '../outcome.ts'

/** Result of a check, as input for the search for causes. */
export interface Finding {
  readonly entry: CheckEntry
  readonly operation: Operation
  readonly outcome: Outcome
}

/**
 * A possible cause of a finding. Findings with the same key have the same cause. A possible cause must apply to each of its
 * findings, because the search only counts them.
 */
export interface PossibleCause {
  readonly key: string
  /** Names the cause in plain English, without the number of its checks. */
  title(members: readonly Finding[]): string
  /** More general possible causes, from narrow to wide: causes of the same family may be merged into one. */
  readonly families?: readonly CauseFamily[]
}

/** A more general possible cause that covers several causes. */
export type CauseFamily = Pick<PossibleCause, 'key' | 'title'>

/** Returns a possible cause whose title does not depend on its findings. */
export function createPossibleCause(key: string, title: string): PossibleCause {
  return { key, title: () => title }
}
