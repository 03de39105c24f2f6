import type { Requirement } from './requirement.ts'
import type { ObservedValue } from '../findings/observed-value.ts'
import type { AnyCheck } from './check.ts'

/** A check of a run, with its requirement. */
export interface PlannedCheck {
  readonly check: AnyCheck
  readonly requirement: Requirement
  /** Value that the target's owner declares for behaviour that the specification leaves open. */
  readonly declared?: ObservedValue
}
