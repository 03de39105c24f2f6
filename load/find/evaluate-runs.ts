import type { LoadDocument } from '../../reports/load-document.ts'
import type { LoadBudget } from '../../reports/load-parts-document.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { extractMeasurements } from '../merge-load.ts'
import { mergeMeasurements } from '../metrics/merge-measurements.ts'
import type { Measurements } from '../metrics/measurements.ts'
import type { Budget, LatencyBudget } from '../verdict/budget.ts'
import { evaluateBudgets, selectBudgetFigure } from '../verdict/evaluate-budgets.ts'
import { evaluateLatency } from './evaluate-latency.ts'
import type { Evaluation } from './search-levels.ts'
import { countBreaking, countSuspicious } from './sequential-test.ts'

export interface EvaluatedRuns extends Evaluation {
  readonly measurements: Measurements
  readonly budgets: readonly LoadBudget[]
}

/** Codes of the findings that k6 did not send the requests of a run as planned. */
const LATE_CODES: readonly string[] = ['requests-dropped', 'requests-delayed'] satisfies LoadFinding['code'][]

/**
 * Evaluates runs at one level together. If k6 dropped or delayed requests, the measured latencies are too low. Such
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
  const evaluations = budgets.map((budget, index): Evaluation => {
    if (budget.kind !== 'latency') return evaluateCount(budget, entries[index])
    const figure = selectBudgetFigure(budget, measurements)
    // The entry has no value if too many streams ended without a sample.
    return figure === undefined || entries[index]?.actual === null ? NOTHING_MEASURED : evaluateLatency(budget, figure)
  })
  const order = ['broken', 'generator', 'uncertain'] as const
  const outcome = documents.some(hasViolation)
    ? 'broken'
    : (order.find((candidate) => evaluations.some((one) => one.outcome === candidate)) ?? 'holds')
  return { outcome, isWithin: evaluations.every(({ isWithin }) => isWithin), measurements, budgets: entries }
}

const NOTHING_MEASURED: Evaluation = { outcome: 'uncertain', isWithin: false }

/** Evaluates a count. A rate of failures above its limit breaks the budget only with enough finished requests. */
function evaluateCount({ metric }: Exclude<Budget, LatencyBudget>, entry: LoadBudget | undefined): Evaluation {
  const { actual = null, n = 0, limit = 0, verdict } = entry ?? {}
  if (actual === null) return NOTHING_MEASURED
  if (verdict === 'within') return { outcome: 'holds', isWithin: true }
  if (metric !== 'failed.rate') return { outcome: verdict === 'broken' ? 'broken' : 'uncertain', isWithin: false }
  const failed = Math.round((actual * n) / 100)
  const outcome = failed >= countBreaking(n, limit / 100) ? 'broken' : 'uncertain'
  return { outcome, isWithin: failed < countSuspicious(n, limit / 100) }
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
