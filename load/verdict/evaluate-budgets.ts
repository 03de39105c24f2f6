import type { LoadFigure } from '../../reports/load-document.ts'
import type { LoadBudget, LoadUpstream } from '../../reports/load-parts-document.ts'
import type { LoadFinding } from '../findings/finding.ts'
import { listEntries, type Measurements, sumOutput } from '../metrics/measurements.ts'
import { addSlowest, getErrorBound } from '../metrics/figure.ts'
import { roundMs } from '../metrics/histogram.ts'
import { mergeFigures } from '../metrics/merge-measurements.ts'
import type { TimedOperation } from '../../contract/facts.ts'
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
    switch (budget.kind) {
      case 'latency':
        return evaluateLatency(budget, measurements, validity)
      case 'added':
        return evaluateAdded(budget, validity)
      case 'count':
        return evaluateCount(budget, measurements, validity)
    }
  })
}

/**
 * Evaluates a budget on added latency. The budget is met or broken only if both bounds of the value lead to the same
 * verdict.
 */
function evaluateAdded(
  { metric, statistic, limitMs }: AddedBudget,
  { isPlanKept, upstream }: RunValidity,
): EvaluatedBudget {
  const figure = upstream?.added[ADDED_METRIC_FIELDS[metric]]
  const value = figure?.[statistic]
  const head = {
    metric,
    statistic,
    op: '<=',
    limit: limitMs,
    unit: 'ms',
    actual: value?.ms ?? null,
    n: figure?.n ?? 0,
    needed: MIN_SAMPLES[statistic],
  } as const
  const name = `${metric}.${statistic}`
  if (figure === undefined || value === undefined) {
    return notEvaluated(head, 'insufficient samples', { code: 'no-sample', params: { metric: name } })
  }
  if (!isPlanKept) return { ...notEvaluated(head, 'not measurable', null), isInvalid: true }
  if (figure.n < head.needed) {
    const params = { metric: name, needed: head.needed, samples: figure.n }
    return notEvaluated(head, 'insufficient samples', { code: 'too-few-samples', params })
  }
  const { ms, lowMs, highMs } = value
  // A value without bounds is evaluated only if it comes from the upstream's record. A difference of two distributions
  // needs its interval.
  const isUnbounded = lowMs === null && highMs === null && upstream?.method === 'record'
  if (!isUnbounded && (lowMs ?? -Infinity) <= limitMs && (highMs ?? Infinity) > limitMs) {
    const finding = { code: 'added-latency-uncertain', params: { metric: name, lowMs, highMs, limitMs } } as const
    return { ...notEvaluated(head, 'not measurable', finding), isInvalid: true }
  }
  return evaluated(head, ms <= limitMs)
}

function evaluateLatency(
  budget: LatencyBudget,
  measurements: Measurements,
  { isPlanKept }: RunValidity,
): EvaluatedBudget {
  const { metric, statistic, limitMs, operation } = budget
  const figure = selectBudgetFigure(budget, measurements)
  const gap = findMissingSamples(budget, measurements)
  const head = {
    metric: operation === null ? metric : `${operation}.${metric}`,
    statistic,
    op: '<=',
    limit: limitMs,
    unit: 'ms',
    actual: figure?.[statistic] ?? null,
    n: (figure?.n ?? 0) - (figure === undefined ? 0 : (gap?.missing ?? 0)),
    needed: MIN_SAMPLES[statistic],
  } as const
  const name = `${head.metric}.${statistic}`
  if (gap !== undefined && (figure === undefined || 100 * gap.missing > gap.allowedPercent * gap.streams)) {
    const finding = { code: 'streams-without-sample', params: { metric: name, ...gap } } as const
    return notEvaluated({ ...head, actual: null }, 'not measurable', finding)
  }
  if (figure === undefined)
    return notEvaluated(head, 'insufficient samples', { code: 'no-sample', params: { metric: name } })
  const actual = figure[statistic]
  const errorMs = figure.error === null ? 0 : getErrorBound(figure.error, statistic)
  if (!isPlanKept && metric !== 'start_lag') return { ...notEvaluated(head, 'not measurable', null), isInvalid: true }
  if (head.n < head.needed) {
    const params = { metric: name, needed: head.needed, samples: head.n }
    return notEvaluated(head, 'insufficient samples', { code: 'too-few-samples', params })
  }
  if (isErrorTooLarge(actual, errorMs, limitMs)) {
    const minLimitMs = roundMs(errorMs * MIN_LIMIT_IN_ERRORS)
    const params = { metric: name, errorMs: roundMs(errorMs), limitMs, minLimitMs: Math.ceil(minLimitMs) }
    const finding = { code: 'measurement-error-too-large', params } as const
    return { ...notEvaluated(head, 'not measurable', finding), isInvalid: true }
  }
  return evaluated(head, actual <= limitMs)
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
  const { actual, n } = measureCount(budget, measurements)
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
  return evaluated(head, hasLowerBound(metric) ? actual >= limit : actual <= limit)
}

/** Measures the count that a budget limits. `actual` is null if no request was sent or finished. */
function measureCount(
  { metric, operation }: CountBudget,
  { requests, durationMs }: Measurements,
): { actual: number | null; n: number } {
  const { sent, ok, failed, aborted, good } = countsFor(operation, requests)
  const ended = ok + failed + aborted
  const perSecond = (count: number) => (sent === 0 || durationMs <= 0 ? null : roundMs((count * 1000) / durationMs))
  switch (metric) {
    case 'failed.rate':
      return { actual: ended === 0 ? null : roundMs((failed * 100) / ended), n: ended }
    case 'failed.count':
      return { actual: ended === 0 ? null : failed, n: ended }
    case 'dropped.count':
      return { actual: requests.dropped, n: requests.planned ?? sent }
    case 'rate':
      return { actual: perSecond(ok), n: ok }
    case 'goodput':
      return { actual: perSecond(good), n: good }
    case 'tokens.rate': {
      const { completionTokens, withUsage } = sumOutput(requests, operation)
      return { actual: perSecond(completionTokens), n: withUsage }
    }
  }
}

function countsFor(operation: TimedOperation | null, { byOperation }: Measurements['requests']) {
  const sum = { sent: 0, ok: 0, failed: 0, aborted: 0, good: 0 }
  for (const [of, { sent, ok, failed, aborted, good }] of listEntries(byOperation)) {
    if (operation !== null && operation !== of) continue
    sum.sent += sent
    sum.ok += ok
    sum.failed += failed
    sum.aborted += aborted
    sum.good += good
  }
  return sum
}

type Head = Omit<LoadBudget, 'verdict'>

function evaluated(head: Head, isKept: boolean): EvaluatedBudget {
  const { metric, statistic, op, limit, unit, actual } = head
  const name = metric.endsWith(statistic) ? metric : `${metric}.${statistic}`
  return {
    entry: { ...head, verdict: isKept ? 'within' : 'broken' },
    finding: isKept ? null : { code: 'budget-broken', params: { metric: name, actual, op, limit, unit } },
    isInvalid: false,
  }
}

function notEvaluated(head: Head, verdict: LoadBudget['verdict'], finding: LoadFinding | null): EvaluatedBudget {
  return { entry: { ...head, verdict }, finding, isInvalid: false }
}
