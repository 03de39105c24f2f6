/** Changes from one run to another. */
export interface Comparison {
  readonly kind: 'conformance' | 'load'
  readonly before: ComparedRun
  readonly after: ComparedRun
  /** Differences that limit the comparison, one sentence each. */
  readonly remarks: readonly string[]
  readonly changes: readonly Change[]
  /** Percentiles that changed, and those that could not be compared. */
  readonly moves: readonly PercentileChange[]
}

/** Identification of a run in a comparison. */
export interface ComparedRun {
  /** Its file, or another name. */
  readonly name: string
  readonly target: string
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly verdict: string
}

/** Better, worse, or different. */
export type Direction = 'worse' | 'better' | 'different'

/** A single change. */
export interface Change {
  readonly direction: Direction
  /** Kind of change: `verdict`, `check`, `observation`, `budget`, `streams`, `failed requests`, `made once`. */
  readonly sort: ChangeKind
  /** Id or name of what changed. */
  readonly subject: string
  readonly title?: string
  readonly before: string
  readonly after: string
}

/** The kinds of changes, in display order. */
export const CHANGE_KINDS = {
  run: 'Verdict of the run',
  check: 'Verdicts of checks',
  cause: 'Causes',
  budget: 'Budgets',
  failed: 'Failed requests',
  streams: 'Faults of streams',
  observation: 'Where the document is silent',
  once: 'Made in one run only',
} as const

/** A kind of change. */
export type ChangeKind = keyof typeof CHANGE_KINDS

/** A percentile in both runs, in milliseconds. */
export interface PercentileChange {
  /** `chat-stream ttft p99`. */
  readonly figure: string
  /** `unclear`: too few samples, or a histogram that cannot be read. */
  readonly direction: 'worse' | 'better' | 'unclear'
  readonly before: number
  readonly after: number
  /** Confidence interval of each value, including the measurement error; undefined if unknown. */
  readonly beforeInterval?: { readonly low: number; readonly high: number }
  readonly afterInterval?: { readonly low: number; readonly high: number }
  readonly note?: string
}

/** True if a gate should fail. */
export function isRegression({ changes, moves }: Comparison): boolean {
  return [...changes, ...moves].some(({ direction }) => direction === 'worse')
}
