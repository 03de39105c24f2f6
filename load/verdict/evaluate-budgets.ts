import { nameBudget } from '../../common/format-budget.ts'
import type { LoadFigure } from '../../reports/load-document.ts'
import type { LoadBudget, LoadUpstream } from '../../reports/load-parts-document.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { listEntries, type Measurements, sumOutput } from '../metrics/measurements.ts'
import { addSlowest, getErrorBound } from '../metrics/figure.ts'
import { roundMs } from '../metrics/histogram.ts'
import { mergeFigures } from '../metrics/merge-measurements.ts'
import {
  ADDED_METRIC_FIELDS,
  type AddedBudget,
  type Budget,
  COUNT_UNITS,
  type CountBudget,
  hasLowerBound,
  LATENCY_METRIC_FIELDS,
  type LatencyBudget,
  MIN_SAMPLES,
  TOKEN_METRICS,
} from './budget.ts'
import { calculateRate, isLimitMet, measureCount, type MeasuredCount, sumOperations } from './measure-count.ts'

/** Limit of a budget, as a multiple of the measurement error, below which the budget can be broken but not met. */
const MIN_LIMIT_IN_ERRORS = 10

export interface RunValidity {
  /** Whether k6 sent requests as planned. If not, latencies and rates do not describe the target. */
  readonly isPlanKept: boolean
  readonly upstream?: LoadUpstream | undefined
}

export interface EvaluatedBudget {
  readonly entry: LoadBudget
  readonly finding: LoadFinding | null
  /** Whether the load generator prevents the evaluation of the budget. False if there are too few samples. */
  readonly isInvalid: boolean
}

/**
 * Compares measurements with budgets. With too few samples, or too large a measurement error, a budget is neither met
 * nor broken.
 */
export function evaluateBudgets(
  budgets: readonly Budget[],
  measurements: Measurements,
  validity: RunValidity,
): EvaluatedBudget[] {
  return budgets.map((budget) => {
    if (budget.kind === 'count') return evaluateCount(budget, measurements, validity)
    const measured = budget.kind === 'latency' ? measureLatency(budget, measurements) : measureAdded(budget, validity)
    return evaluateLatency(budget, measured, validity)
  })
}

/** Measured value of a budget on a latency, or null if it has no sample. */
interface MeasuredLatency {
  readonly actual: number | null
  readonly n: number
  /** Why the samples do not represent the run. */
  readonly gap?: LoadFinding
  /** Why the error of the value permits no decision. */
  readonly uncertainty?: LoadFinding | undefined
}

function nameOf({ operation, metric, statistic }: LatencyBudget | AddedBudget): string {
  return `${operation === null ? '' : `${operation}.`}${metric}.${statistic}`
}

function evaluateLatency(
  budget: LatencyBudget | AddedBudget,
  { actual, n, gap, uncertainty }: MeasuredLatency,
  { isPlanKept }: RunValidity,
): EvaluatedBudget {
  const { metric, operation, statistic, limitMs } = budget
  const head = {
    metric: operation === null ? metric : `${operation}.${metric}`,
    statistic,
    op: '<=',
    limit: limitMs,
    unit: 'ms',
    actual,
    n,
    needed: MIN_SAMPLES[statistic],
  } as const
  const name = nameOf(budget)
  if (gap !== undefined) return notEvaluated(head, 'not measurable', gap)
  if (actual === null)
    return notEvaluated(head, 'insufficient samples', { code: 'no-sample', params: { metric: name } })
  if (!isPlanKept && metric !== 'start_lag') return { ...notEvaluated(head, 'not measurable', null), isInvalid: true }
  if (n < head.needed) {
    const params = { metric: name, needed: head.needed, samples: n }
    return notEvaluated(head, 'insufficient samples', { code: 'too-few-samples', params })
  }
  if (uncertainty !== undefined) return { ...notEvaluated(head, 'not measurable', uncertainty), isInvalid: true }
  return evaluated(head, actual <= limitMs)
}

/** Measures an added latency. It is uncertain if its two bounds lead to different verdicts. */
function measureAdded(budget: AddedBudget, { upstream }: RunValidity): MeasuredLatency {
  const { metric, statistic, limitMs } = budget
  const figure = upstream?.added[ADDED_METRIC_FIELDS[metric]]
  if (figure === undefined) return { actual: null, n: 0 }
  const { ms, lowMs, highMs } = figure[statistic]
  // A value without bounds is evaluated only if it comes from the upstream's record. A difference of two distributions
  // needs its interval.
  const isUnbounded = lowMs === null && highMs === null && upstream?.method === 'record'
  const isUncertain = !isUnbounded && (lowMs ?? -Infinity) <= limitMs && (highMs ?? Infinity) > limitMs
  const params = { metric: nameOf(budget), lowMs, highMs, limitMs }
  return {
    actual: ms,
    n: figure.n,
    uncertainty: isUncertain ? { code: 'added-latency-uncertain', params } : undefined,
  }
}

function measureLatency(budget: LatencyBudget, measurements: Measurements): MeasuredLatency {
  const { statistic, limitMs } = budget
  const figure = selectBudgetFigure(budget, measurements)
  const missing = findMissingSamples(budget, measurements)
  const n = figure === undefined ? 0 : figure.n - (missing?.missing ?? 0)
  if (
    missing !== undefined &&
    (figure === undefined || 100 * missing.missing > missing.allowedPercent * missing.streams)
  ) {
    return { actual: null, n, gap: { code: 'streams-without-sample', params: { metric: nameOf(budget), ...missing } } }
  }
  if (figure === undefined) return { actual: null, n }
  const actual = figure[statistic]
  const errorMs = figure.error === null ? 0 : getErrorBound(figure.error, statistic)
  const minLimitMs = Math.ceil(roundMs(errorMs * MIN_LIMIT_IN_ERRORS))
  const params = { metric: nameOf(budget), errorMs: roundMs(errorMs), limitMs, minLimitMs }
  return {
    actual,
    n,
    uncertainty: isErrorTooLarge(actual, errorMs, limitMs)
      ? { code: 'measurement-error-too-large', params }
      : undefined,
  }
}

/**
 * Returns whether the measurement error prevents an evaluation. It does not if the value exceeds the limit by more than
 * the error.
 */
export function isErrorTooLarge(actualMs: number, errorMs: number, limitMs: number): boolean {
  return roundMs(errorMs * MIN_LIMIT_IN_ERRORS) > limitMs && actualMs - errorMs <= limitMs
}

/**
 * Returns the figure that a budget limits, merged from all operations of the budget. Streams without a sample count as
 * slower than all others.
 */
export function selectBudgetFigure(budget: LatencyBudget, measurements: Measurements): LoadFigure | undefined {
  const { operation, metric } = budget
  const { metrics } = measurements
  const name = LATENCY_METRIC_FIELDS[metric]
  const selected = listEntries(metrics).filter(([of]) => operation === null || operation === of)
  const figures = selected.flatMap(([, figuresOf]) => figuresOf[name] ?? [])
  if (figures.length === 0) return undefined
  const missing = findMissingSamples(budget, measurements)?.missing ?? 0
  return missing === 0 ? mergeFigures(figures) : addSlowest(mergeFigures(figures), missing)
}

/**
 * Returns the streams that lack the sample of a budget: those without text, without a token, or without the usage that
 * TPOT needs. Returns undefined if there are none.
 */
function findMissingSamples({ operation, metric, statistic }: LatencyBudget, { requests }: Measurements) {
  if (!TOKEN_METRICS.includes(metric)) return undefined
  const { responses: streams, cutBeforeText, withUsage, ...output } = sumOutput(requests, operation ?? 'chat-stream')
  // A response to a request for a stream may be none.
  const others = streams - output.streams
  const withoutToken = output.withoutToken + others
  const withoutUsage = metric === 'tpot' ? streams - withUsage : 0
  const [cause, missing] =
    metric === 'text_ttft'
      ? (['text', output.withoutText + others] as const)
      : withoutUsage > withoutToken
        ? (['usage', withoutUsage] as const)
        : (['token', withoutToken] as const)
  if (missing === 0) return undefined
  const allowedPercent = /^p\d/.test(statistic) ? 100 - Number(statistic.slice(1)) : 0
  return { cause, missing, streams, cut: cause === 'text' ? cutBeforeText : 0, allowedPercent }
}

function evaluateCount(budget: CountBudget, measurements: Measurements, { isPlanKept }: RunValidity): EvaluatedBudget {
  const { metric, operation, limit } = budget
  const { actual, n } = measure(budget, measurements)
  const [group = '', statistic = group] = metric.split('.')
  const head = {
    metric: operation === null ? group : `${operation}.${group}`,
    statistic,
    op: hasLowerBound(metric) ? '>=' : '<=',
    limit,
    unit: COUNT_UNITS[metric],
    actual,
    n,
    needed: 1,
  } as const
  if (actual === null)
    return notEvaluated(head, 'insufficient samples', { code: 'no-finished-request', params: { operation } })
  if (hasLowerBound(metric) && !isPlanKept) return { ...notEvaluated(head, 'not measurable', null), isInvalid: true }
  const { withUsage, responses } = sumOutput(measurements.requests, operation)
  if (metric === 'tokens.rate' && withUsage < responses && actual < limit) {
    return notEvaluated(head, 'not measurable', { code: 'responses-without-usage', params: { withUsage, responses } })
  }
  return evaluated(head, isLimitMet(budget, actual))
}

/** Measures the count that a budget limits. */
function measure(budget: CountBudget, { requests, durationMs }: Measurements): MeasuredCount {
  const { metric, operation } = budget
  if (metric === 'dropped.count') return { actual: requests.dropped, n: requests.planned ?? requests.sent }
  if (metric !== 'tokens.rate') return measureCount(budget, requests.byOperation, durationMs) ?? { actual: null, n: 0 }
  const { completionTokens, withUsage } = sumOutput(requests, operation)
  const { sent } = sumOperations(requests.byOperation, operation)
  return { actual: sent === 0 ? null : calculateRate(completionTokens, durationMs), n: withUsage }
}

type Head = Omit<LoadBudget, 'verdict'>

function evaluated(head: Head, isKept: boolean): EvaluatedBudget {
  const { op, limit, unit, actual } = head
  return {
    entry: { ...head, verdict: isKept ? 'within' : 'broken' },
    finding: isKept ? null : { code: 'budget-broken', params: { metric: nameBudget(head), actual, op, limit, unit } },
    isInvalid: false,
  }
}

function notEvaluated(head: Head, verdict: LoadBudget['verdict'], finding: LoadFinding | null): EvaluatedBudget {
  return { entry: { ...head, verdict }, finding, isInvalid: false }
}
