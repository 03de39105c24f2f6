import type { Operation } from '../../contract/facts.ts'
import type { ExpectedStatus } from '../findings/expectations.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { RequestDifference } from '../findings/request-difference.ts'

/** An invalid request, with the statuses that its check accepts. */
export interface InvalidRequestStatuses {
  readonly operation: Operation
  readonly difference: RequestDifference
  readonly statuses: readonly ExpectedStatus[]
}

/** A departure from the specification that an owner may declare, with a value of type `Value`. */
export interface DifferenceKind<Value> {
  /** Describes the declared behaviour for the headline: `validation errors get 422`. */
  text(value: Value): string
  /**
   * Returns the statuses that the check accepts instead, because of the declared value. Returns the same statuses if the
   * difference does not concern the request.
   */
  replaceStatuses?(value: Value, request: InvalidRequestStatuses): readonly ExpectedStatus[]
  /**
   * Judges an outcome that does not compare the statuses of invalid requests. Returns undefined if the difference does not
   * concern it, and the same outcome if the check is not testable because of the difference.
   */
  judge?(value: Value, outcome: Outcome, operation: Operation): Outcome | undefined
  /**
   * Returns the value by which the outcome would be as declared. Returns undefined if no value would. `init` writes a value
   * that several outcomes share and none contradicts.
   */
  detect?(outcome: Outcome, operation: Operation): Value | undefined
}

/** Marks a departure from the specification that is exactly as declared. */
export function markDeclared(outcome: Outcome): Outcome {
  return { ...outcome, verdict: 'declared' }
}

/** Marks a departure from a convention that is not as declared. */
export function markFailed({ consequence: _consequence, ...outcome }: Outcome): Outcome {
  return outcome.verdict === 'warn' ? { ...outcome, verdict: 'fail' } : outcome
}

/** Returns whether a check found a departure from the specification, or from a convention. */
export function isDeparture({ verdict }: Outcome): boolean {
  return verdict === 'fail' || verdict === 'warn'
}

/** Returns whether a check is not testable because no response has this status. */
export function isStatusMissing({ code, params }: Outcome, status: number): boolean {
  return (code === 'status-not-seen' || code === 'error-not-provoked') && params.status === status
}

/** Marks an outcome that is as the specification describes, although the owner declares a difference. */
export function markContradiction(outcome: Outcome, declared: string): Outcome {
  return {
    verdict: 'fail',
    code: 'difference-not-shown',
    params: { declared },
    expected: { declared },
    ...(outcome.exchange === undefined ? {} : { exchange: outcome.exchange }),
  }
}
