import type { LoadBudget, LoadFigure } from '../../reports/load-document.ts'
import { entriesOf, type Facts } from '../metrics/measurements.ts'
import { roundMs } from '../metrics/histogram.ts'
import { mergeFigures } from '../metrics/merge-measurements.ts'
import type { LoadOperation } from '../../scenarios/lib/load-operation.ts'
import {
  type Budget,
  COUNT_UNITS,
  type CountBudget,
  isLeast,
  LATENCY_METRICS,
  type LatencyBudget,
  NEEDED_SAMPLES,
  TOKEN_METRICS,
} from './budget.ts'

/** A figure says nothing about a limit that is not at least this many times its own error. */
const LEAST_LIMIT_IN_ERRORS = 10

/** What is known of a run beside its figures. */
export interface Validity {
  /** False: requests went out at other times than planned, so that times and rates say nothing of the target. */
  readonly isPlanKept: boolean
}

/** A budget with what was measured, and the sentence why it is not kept, if it is not. */
export interface JudgedBudget {
  readonly entry: LoadBudget
  readonly reason: string | null
  /** True when the generator, and not the number of samples, is the reason. */
  readonly isInvalid: boolean
}

/** Holds facts against budgets. Too few samples, and figures that cannot be trusted, neither keep nor break a budget. */
export function judgeBudgets(budgets: readonly Budget[], facts: Facts, validity: Validity): JudgedBudget[] {
  return budgets.map((budget) =>
    budget.kind === 'latency' ? judgeLatency(budget, facts, validity) : judgeCount(budget, facts, validity),
  )
}

function judgeLatency(budget: LatencyBudget, facts: Facts, { isPlanKept }: Validity): JudgedBudget {
  const { metric, statistic, limitMs, operation } = budget
  const figure = figureFor(budget, facts)
  const head = {
    metric: operation === null ? metric : `${operation}.${metric}`,
    statistic,
    op: '<=',
    limit: limitMs,
    unit: 'ms',
    actual: figure?.[statistic] ?? null,
    n: figure?.n ?? 0,
    needed: NEEDED_SAMPLES[statistic],
  } as const
  const name = `${head.metric}.${statistic}`
  if (figure === undefined) {
    return hasTimelessStreams(budget, facts)
      ? unjudged(
          head,
          'not measurable',
          `${name} is not measurable: no event of a stream had text where it was looked for; name the place with --content-path.`,
        )
      : unjudged(head, 'insufficient samples', `${name} has no sample.`)
  }
  const actual = figure[statistic]
  const errorMs = figure.error?.p99Ms ?? 0
  if (!isPlanKept && metric !== 'start_lag') return { ...unjudged(head, 'not measurable', null), isInvalid: true }
  if (figure.n < head.needed) {
    return unjudged(head, 'insufficient samples', `${name} needs ${head.needed} samples and has ${figure.n}.`)
  }
  // Far beyond the limit, the error does not matter.
  const leastLimitMs = roundMs(errorMs * LEAST_LIMIT_IN_ERRORS)
  if (leastLimitMs > limitMs && actual - errorMs <= limitMs) {
    const reason = `${name} is not to be trusted: the generator's own error, ${roundMs(errorMs)} ms at its p99, is more than a tenth of the budget of ${limitMs} ms: take a quieter machine, or a budget of at least ${Math.ceil(leastLimitMs)} ms.`
    return { ...unjudged(head, 'not measurable', reason), isInvalid: true }
  }
  return judged(head, actual <= limitMs)
}

function figureFor({ operation, metric }: LatencyBudget, { metrics }: Facts): LoadFigure | undefined {
  const name = LATENCY_METRICS[metric]
  const asked = entriesOf(metrics).filter(([of]) => operation === null || operation === of)
  const figures = asked.flatMap(([, figuresOf]) => figuresOf[name] ?? [])
  return figures.length === 0 ? undefined : mergeFigures(figures)
}

function hasTimelessStreams({ operation, metric }: LatencyBudget, { requests }: Facts): boolean {
  if (!TOKEN_METRICS.includes(metric)) return false
  return entriesOf(requests.byOperation).some(
    ([of, { withoutContent }]) => (operation === null || operation === of) && withoutContent > 0,
  )
}

function judgeCount(budget: CountBudget, facts: Facts, { isPlanKept }: Validity): JudgedBudget {
  const { metric, operation, limit } = budget
  const { actual, n } = measureCount(budget, facts)
  const [group = '', statistic = group] = metric.split('.')
  const head = {
    metric: operation === null ? group : `${operation}.${group}`,
    statistic,
    op: isLeast(metric) ? '>=' : '<=',
    limit,
    unit: COUNT_UNITS[metric],
    actual,
    n,
    needed: 1,
  } as const
  if (actual === null)
    return unjudged(head, 'insufficient samples', `${operation ?? 'The run'} has no finished request.`)
  if (isLeast(metric) && !isPlanKept) return { ...unjudged(head, 'not measurable', null), isInvalid: true }
  return judged(head, isLeast(metric) ? actual >= limit : actual <= limit)
}

/** Null where no request had a chance. */
function measureCount(
  { metric, operation }: CountBudget,
  { requests, durationMs }: Facts,
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
  }
}

function countsFor(operation: LoadOperation | null, { byOperation }: Facts['requests']) {
  const sum = { sent: 0, ok: 0, failed: 0, aborted: 0, good: 0 }
  for (const [of, { sent, ok, failed, aborted, good }] of entriesOf(byOperation)) {
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

function judged(head: Head, isKept: boolean): JudgedBudget {
  const { metric, statistic, op, limit, unit, actual } = head
  const name = metric.endsWith(statistic) ? metric : `${metric}.${statistic}`
  const reason = isKept ? null : `${name} is ${actual}${spaced(unit)}, and has to be ${op} ${limit}${spaced(unit)}.`
  return { entry: { ...head, verdict: isKept ? 'within' : 'broken' }, reason, isInvalid: false }
}

function spaced(unit: string): string {
  return unit === 'ms' || unit === '%' ? ` ${unit}` : unit
}

function unjudged(head: Head, verdict: LoadBudget['verdict'], reason: string | null): JudgedBudget {
  return { entry: { ...head, verdict }, reason, isInvalid: false }
}
