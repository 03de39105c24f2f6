import type { BudgetEntry } from '../conformance-document.ts'
import type { LoadBudget } from '../load-parts-document.ts'
import { formatActual, formatBudget } from '../load-verdict.ts'

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

/** Groups changes by kind, in display order. */
export function groupChanges(changes: readonly RunChange[]) {
  const bySort = Map.groupBy(changes, ({ sort }) => sort)
  return Object.entries(CHANGE_KIND_HEADINGS).flatMap(([sort, heading]) => {
    const group = bySort.get(sort as ChangeKind)
    return group === undefined ? [] : [{ sort: sort as ChangeKind, heading, group }]
  })
}

/** A percentile in both runs, and the direction in which it changed. Values are milliseconds. */
export interface PercentileChange {
  /** Operation, metric and statistic of the percentile: `chat-stream ttft p99`. */
  readonly figure: string
  /** `unclear`: the direction is unknown, for the reason in `note`. */
  readonly direction: 'worse' | 'better' | 'unclear'
  readonly before: number
  readonly after: number
  /** 99 % confidence interval of the percentile in the first run, widened by the measurement error. */
  readonly beforeInterval?: { readonly low: number; readonly high: number }
  readonly afterInterval?: { readonly low: number; readonly high: number }
  readonly note?: string
}

/** Returns whether a verdict, a count or a percentile became worse, so that a CI gate should fail. */
export function isRegression({ changes, moves }: Comparison): boolean {
  return [...changes, ...moves].some(({ direction }) => direction === 'worse')
}

/** Returns the direction of a change between two ranks, of which the higher one is worse. */
export function compareRanks(before: number, after: number): ChangeDirection {
  if (before === after) return 'different'
  return after > before ? 'worse' : 'better'
}

/** Pairs the values of two runs by their key. Keys of the second run come first. */
export function pairValues<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): (readonly [key: string, before: Value | undefined, after: Value | undefined])[] {
  return [...new Set([...after.keys(), ...before.keys()])].map((key) => [key, before.get(key), after.get(key)])
}

/** Lists the budgets of both runs whose results differ. */
export function compareBudgets(
  before: readonly (BudgetEntry | LoadBudget)[] = [],
  after: readonly (BudgetEntry | LoadBudget)[] = [],
): RunChange[] {
  const earlier = new Map(before.map((budget) => [formatBudget(budget), budget]))
  return after.flatMap((budget): RunChange[] => {
    const subject = formatBudget(budget)
    const old = earlier.get(subject)
    if (old === undefined || old.verdict === budget.verdict) return []
    const words = (one: typeof budget): string => `${one.verdict} (${formatActual(one)})`
    const direction = budget.verdict === 'broken' ? 'worse' : old.verdict === 'broken' ? 'better' : 'different'
    return [{ direction, sort: 'budget', subject, before: words(old), after: words(budget) }]
  })
}

interface WithTool {
  readonly tool: { readonly version: string }
}

export function remarkOnVersions({ tool: before }: WithTool, { tool: after }: WithTool): string[] {
  return before.version === after.version
    ? []
    : [`The runs used different versions of touchstone: ${before.version} and ${after.version}.`]
}
