export interface Comparison {
  readonly kind: 'conformance' | 'load'
  readonly before: ComparedRun
  readonly after: ComparedRun
  /** Sentence that the headline ends with, such as that a figure has another meaning in one of the documents. */
  readonly headline?: string
  /** Differences between the runs that make the comparison less reliable, one sentence each. */
  readonly remarks: readonly string[]
  readonly changes: readonly RunChange[]
  /** Percentiles that changed, and percentiles that could not be compared. */
  readonly moves: readonly PercentileChange[]
}

export interface ComparedRun {
  /** File name of the document, or the name that the user gave. */
  readonly name: string
  readonly target: string
  /** Start time in ISO 8601, UTC. */
  readonly startedAt: string
  readonly verdict: string
}

export type ChangeDirection = 'worse' | 'better' | 'different'

/** A change between two runs other than the change of a percentile. */
export interface RunChange {
  readonly direction: ChangeDirection
  readonly sort: ChangeKind
  /** ID or name of the changed item, such as a check or a budget. */
  readonly subject: string
  readonly title?: string
  readonly before: string
  readonly after: string
}

/** Heading for each kind of change, in display order. */
export const CHANGE_KIND_HEADINGS = {
  run: 'Verdict of the run',
  finding: 'Findings',
  difference: 'Declared differences',
  cause: 'Causes',
  check: 'Verdicts of checks',
  budget: 'Budgets',
  failed: 'Failed requests',
  streams: 'Violations in streams',
  observation: 'Unspecified behaviour',
  policy: 'Policies of the gateway',
  once: 'Checks of one run only',
} as const

export type ChangeKind = keyof typeof CHANGE_KIND_HEADINGS

/** A percentile in both runs, and the direction in which it changed. Values are milliseconds. */
export interface PercentileChange {
  /** Operation, metric and statistic of the percentile: `chat-stream ttft p99`. */
  readonly figure: string
  /** `unclear`: the direction is unknown, for the reason in `note`. */
  readonly direction: 'worse' | 'better' | 'unclear'
  readonly before: number
  readonly after: number
  /**
   * 99 % confidence interval of the percentile in the first run, widened by the measurement error. Undefined if it is
   * unknown.
   */
  readonly beforeInterval?: { readonly low: number; readonly high: number }
  readonly afterInterval?: { readonly low: number; readonly high: number }
  readonly note?: string
}

/** Returns whether a verdict, a count or a percentile became worse, so that a CI gate should fail. */
export function isRegression({ changes, moves }: Comparison): boolean {
  return [...changes, ...moves].some(({ direction }) => direction === 'worse')
}
