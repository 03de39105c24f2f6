import type { Exchange } from '../http/exchange.ts'
import type { Expectation } from './expectations.ts'
import type { Finding } from './families.ts'
import type { RequestDifference } from './request-difference.ts'

/*
 * An outcome is the result of a check as data: a verdict, a stable code, and parameters. `sentences.ts` formats it as
 * text. Reports group outcomes by code, and `prove` compares them.
 */

/** Verdict of a check that ran, or that could not run (`not-testable`). */
export type Verdict = 'pass' | 'fail' | 'declared' | 'warn' | 'observed' | 'not-testable' | 'error'

/** Result of one check. */
export type Outcome = Finding & {
  readonly verdict: Verdict
  /** Expectation that the response must meet. Absent for observations, and for most checks that are not testable. */
  readonly expected?: Expectation
  /**
   * Difference between the request of the finding and the plain request. Absent if the finding concerns the plain
   * request.
   */
  readonly difference?: RequestDifference
  /** Name of the declared difference by which the engine judged the responses. */
  readonly declaredDifference?: string
  /** Names the clients that fail, and describes how. Set only for a warning. */
  readonly consequence?: string
  /**
   * Exchange that shows the finding. The report builds its command from this exchange. Default: the check's last
   * exchange.
   */
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
