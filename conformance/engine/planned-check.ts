import type { Requirement } from './requirement.ts'
import type { DeclaredBehaviour } from '../targets/declared-behaviours.ts'
import type { AnyCheck } from './check.ts'

/** A check of a run, with its requirement. */
export interface PlannedCheck {
  readonly check: AnyCheck
  readonly requirement: Requirement
  /** Declaration of the target's owner about behaviour that the specification leaves open. */
  readonly declared?: DeclaredBehaviour
}
