import type { LoadDocument } from '../../reports/load-document.ts'
import type { LoadBudget } from '../../reports/load-parts-document.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { extractMeasurements } from '../merge-load.ts'
import { mergeMeasurements } from '../metrics/merge-measurements.ts'
import type { Measurements } from '../metrics/measurements.ts'
import type { Budget } from '../verdict/budget.ts'
import { evaluateBudgets, selectBudgetFigure } from '../verdict/evaluate-budgets.ts'
import { evaluateLatency } from './evaluate-latency.ts'
import type { StepOutcome } from './search-rate.ts'

export interface EvaluatedRuns {
  readonly outcome: StepOutcome
  readonly measurements: Measurements
  readonly budgets: readonly LoadBudget[]
}

/** Codes of the findings that k6 did not send the requests of a run as planned. */
const LATE_CODES: readonly string[] = ['requests-dropped', 'requests-delayed'] satisfies LoadFinding['code'][]

/**
 * Evaluates all runs at one rate together. If k6 dropped or delayed requests, the measured latencies are too low. Such
 * a run can break a budget, but cannot prove that a budget holds.
 */
export function evaluateRuns(documents: readonly LoadDocument[], budgets: readonly Budget[]): EvaluatedRuns {
  const onSchedule = documents.filter(({ findings }) => !findings.some(({ code }) => LATE_CODES.includes(code)))
  const all = evaluate(documents, budgets)
  if (onSchedule.length === documents.length || all.outcome === 'broken') return all
  return onSchedule.length === 0 ? { ...all, outcome: 'generator' } : evaluate(onSchedule, budgets)
}

function evaluate(documents: readonly LoadDocument[], budgets: readonly Budget[]): EvaluatedRuns {
  const measurements = mergeInSequence(documents)
  const entries = evaluateBudgets(budgets, measurements, { isPlanKept: true }).map(({ entry }) => entry)
  const outcomes = budgets.map((budget, index): StepOutcome => {
    if (budget.kind !== 'latency') return outcomeOf(entries[index])
    const figure = selectBudgetFigure(budget, measurements)
    return figure === undefined ? 'uncertain' : evaluateLatency(budget, figure)
  })
  const order = ['broken', 'generator', 'uncertain'] as const
  const outcome = documents.some(hasViolation)
    ? 'broken'
    : (order.find((candidate) => outcomes.includes(candidate)) ?? 'holds')
  return { outcome, measurements, budgets: entries }
}

function outcomeOf(entry: LoadBudget | undefined): StepOutcome {
  if (entry?.verdict === 'within') return 'holds'
  return entry?.verdict === 'broken' ? 'broken' : 'uncertain'
}

/** Returns whether a run failed for a reason other than its budgets, such as an invalid stream. */
function hasViolation({ verdict, budgets }: LoadDocument): boolean {
  return verdict === 'budget-broken' && !budgets.some((budget) => budget.verdict === 'broken')
}

/** Merges runs as if each had followed the previous one without a pause. */
function mergeInSequence(documents: readonly LoadDocument[]): Measurements {
  let startUnixMs = Date.parse(documents[0]?.startedAt ?? '')
  const parts = documents.map((document) => {
    const startedAt = new Date(startUnixMs).toISOString()
    startUnixMs += document.durationMs
    return { ...extractMeasurements(document), startedAt }
  })
  return mergeMeasurements(parts)
}
