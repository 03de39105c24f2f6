import type { Operation } from '../../../contract/facts.ts'
import type { CheckEntry } from '../../../reports/conformance-document.ts'
import type { Outcome } from '../outcome.ts'

/** Result of a check, from which its possible causes follow. */
export interface CheckFinding {
  readonly entry: CheckEntry
  readonly operation: Operation
  readonly outcome: Outcome
}

/**
 * A possible cause of a finding. Findings with the same key may have the same cause. A possible cause must apply to its
 * finding, because `findCauses` selects causes only by their number of findings.
 */
export interface PossibleCause {
  readonly key: string
  /** Formats the name of the cause in plain English, without the number of its checks. */
  title(members: readonly CheckFinding[]): string
  /**
   * Returns the command that shows the cause, or undefined if no command shows it reliably. Default: the shortest
   * command of the most severe findings.
   */
  readonly command?: (members: readonly CheckFinding[]) => string | undefined
  /** Returns how the owner removes the cause, for example with a setting of a proxy. */
  readonly remedy?: (members: readonly CheckFinding[]) => string | undefined
  /** More general possible causes, from narrow to wide. Causes of one family can be merged. */
  readonly families?: readonly CauseFamily[]
}

/** A more general possible cause, which includes several causes. */
export interface CauseFamily extends Pick<PossibleCause, 'key' | 'title'> {
  /** Whether the family includes other families. Its causes are merged only if those families explain too little. */
  readonly isWide?: true
}

/** Creates a possible cause with a fixed title. */
export function createPossibleCause(key: string, title: string): PossibleCause {
  return { key, title: () => title }
}
