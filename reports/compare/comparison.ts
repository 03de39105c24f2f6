/** What changed from one run to another. */
export interface Comparison {
  readonly kind: 'conformance' | 'load'
  readonly before: ComparedRun
  readonly after: ComparedRun
  /** What makes the two less alike than they look, one sentence each. */
  readonly remarks: readonly string[]
  readonly changes: readonly Change[]
  /** Percentiles that moved, and those that could not be judged. */
  readonly moves: readonly Move[]
}

/** A run, as far as a comparison names it. */
export interface ComparedRun {
  /** Its file, or whatever names it to the reader. */
  readonly name: string
  readonly target: string
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly verdict: string
}

/** Better or worse, or just different. */
export type Direction = 'worse' | 'better' | 'different'

/** Something that is not as it was. */
export interface Change {
  readonly direction: Direction
  /** What sort of thing: `verdict`, `check`, `observation`, `budget`, `streams`, `failed requests`, `made once`. */
  readonly sort: ChangeKind
  /** Its id or its name. */
  readonly subject: string
  readonly title?: string
  readonly before: string
  readonly after: string
}

/** The sorts of changes, in the order in which they are shown. */
export const CHANGE_KINDS = {
  run: 'Verdict of the run',
  check: 'Verdicts of checks',
  budget: 'Budgets',
  failed: 'Failed requests',
  streams: 'Faults of streams',
  observation: 'Where the document is silent',
  once: 'Made in one run only',
} as const

/** One of them. */
export type ChangeKind = keyof typeof CHANGE_KINDS

/** A percentile in both runs, in milliseconds. */
export interface Move {
  /** `chat-stream ttft p99`. */
  readonly figure: string
  /** `unclear`: too few samples, or a histogram that cannot be read. */
  readonly direction: 'worse' | 'better' | 'unclear'
  readonly before: number
  readonly after: number
  /** The interval that each lies in, error bound included; undefined where it is not known. */
  readonly beforeInterval?: { readonly low: number; readonly high: number }
  readonly afterInterval?: { readonly low: number; readonly high: number }
  readonly note?: string
}

/** True when a gate should close. */
export function isRegression({ changes, moves }: Comparison): boolean {
  return [...changes, ...moves].some(({ direction }) => direction === 'worse')
}
