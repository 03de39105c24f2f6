import { omitUndefined } from '../../common/json-object.ts'
import type { Operation } from '../../contract/facts.ts'
import type { ExpectedStatus } from '../findings/expectations.ts'
import type { ResponseParams } from '../findings/fact-params.ts'
import type { Outcome } from '../findings/outcome.ts'
import type { RequestDifference } from '../findings/request-difference.ts'

export interface InvalidRequestStatuses {
  readonly operation: Operation
  readonly difference: RequestDifference
  /** Statuses that the specification allows. */
  readonly specified: readonly ExpectedStatus[]
  /** The same statuses, changed by the differences that the owner declares before this one. */
  readonly statuses: readonly ExpectedStatus[]
}

/** A departure from the specification that an owner may declare, with a value of type `Value`. */
export interface DifferenceKind<Value> {
  /** Describes the declared behaviour for the headline: `validation errors get 422`. */
  text(value: Value): string
  /** Returns the statuses that the check accepts because of the declared value, or the same statuses. */
  replaceStatuses?(value: Value, request: InvalidRequestStatuses): readonly ExpectedStatus[]
  /** Judges an outcome that compares no statuses. Undefined if the difference does not concern it. */
  judge?(value: Value, outcome: Outcome, operation: Operation): Outcome | undefined
  /** Returns the value to declare for this outcome. `bodies` contains the JSON of the responses that it is about. */
  detect?(outcome: Outcome, operation: Operation, bodies: readonly unknown[]): Value | undefined
}

/** Marks a departure from the specification that is exactly as declared. */
export function markDeclared(outcome: Outcome): Outcome {
  return { ...outcome, verdict: 'declared' }
}

/** Turns a warning into a failure: the owner declares something else. */
export function markFailed({ consequence: _consequence, ...outcome }: Outcome): Outcome {
  return outcome.verdict === 'warn' ? { ...outcome, verdict: 'fail' } : outcome
}

/** Returns whether a check found a departure from the specification, or from a convention. */
export function isDeparture({ verdict }: Outcome): boolean {
  return verdict === 'fail' || verdict === 'warn'
}

export function isServedResult({ actualStatus, isErrorInBody, lacksResult }: ResponseParams): boolean {
  return actualStatus >= 200 && actualStatus < 300 && isErrorInBody !== true && lacksResult !== true
}

/** Returns whether a check is not testable because no response has this status. */
export function isStatusMissing({ code, params }: Outcome, status: number): boolean {
  return (code === 'status-not-seen' || code === 'error-not-provoked') && params.status === status
}

/** Creates a failure: the response meets the specification, although the owner declares a difference. */
export function markContradiction(outcome: Outcome, declared: string): Outcome {
  return {
    verdict: 'fail',
    code: 'difference-not-shown',
    params: { declared },
    expected: { declared },
    ...omitUndefined({ exchange: outcome.exchange }),
  }
}
