import type { Exchange } from '../http/exchange.ts'
import type { Expectation, ExpectedStatus } from './expectations.ts'
import type { Finding } from './families.ts'
import type { RequestDifference } from './request-difference.ts'

/*
 * An outcome is the result of a check as data: a verdict, a stable code, and parameters. `sentences.ts` formats it as
 * text. Reports group outcomes by code, and `prove` compares them.
 */

/** Verdict of a check that ran, or that could not run (`not-testable`). */
export type Verdict = 'pass' | 'fail' | 'declared' | 'warn' | 'observed' | 'not-testable' | 'error'

/** An invalid request, described by its difference from the control request, with its response. */
export interface InvalidRequest {
  readonly difference: RequestDifference
  readonly response: Exchange
}

/** Responses to invalid requests, with the statuses that the check accepts and the response to the control request. */
export interface JudgedResponses {
  readonly invalid: readonly InvalidRequest[]
  readonly statuses: readonly ExpectedStatus[]
  readonly control: Exchange
}

export type Outcome = Finding & {
  readonly verdict: Verdict
  /** Expectation that the response must meet. Absent for observations, and for most checks that are not testable. */
  readonly expected?: Expectation
  /** Difference between the request of the finding and the plain request, if there is one. */
  readonly difference?: RequestDifference
  /** Names of the declared differences by which the engine judged the responses. */
  readonly differences?: readonly string[]
  /** Responses on whose statuses the outcome is based, so that the engine can judge them by declared differences. */
  readonly judged?: JudgedResponses
  /** Names the clients that fail, and describes how. Set only for a warning. */
  readonly consequence?: string
  /** Exchange that shows the finding, for the command of the report. Default: the check's last exchange. */
  readonly exchange?: Exchange
  /** Exchanges that show the finding only together. The command of the report then sends these requests in order. */
  readonly sequence?: readonly Exchange[]
  /** Pause of the command before the last request of the sequence, in seconds. */
  readonly pauseS?: number
  /** Number of parallel requests that the command sends, if one request alone does not show the finding. */
  readonly parallel?: number
}

export function isOutcome<Value extends object>(value: Value | Outcome): value is Outcome {
  return 'verdict' in value
}
