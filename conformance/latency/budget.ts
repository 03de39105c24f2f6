import type { BudgetEntry } from '../../reports/conformance-document.ts'
import { roundMs } from '../evidence/describe-exchange.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import { type LatencyMetric, type LatencySamples, calculateNearestRank } from './latency-samples.ts'
import { TIMED_OPERATIONS, type TimedOperation } from '../../contract/facts.ts'

/** Statistics that a budget can use, with the minimum number of samples for each. */
export const MIN_SAMPLES = {
  // The smallest n for which fewer than two of n samples exceed the percentile with a probability of at most 1 %.
  p50: 11,
  p90: 64,
  p95: 130,
  p99: 662,
  max: 1,
  mean: 1,
} as const

export type Statistic = keyof typeof MIN_SAMPLES

/** A limit on a latency statistic, e.g. `chat-stream.ttft.p90<=800ms`. */
export interface LatencyBudget {
  readonly operation: TimedOperation
  readonly metric: LatencyMetric
  readonly statistic: Statistic
  readonly limitMs: number
}

const STATISTICS = Object.keys(MIN_SAMPLES)

/** Parses a budget such as `chat-stream.ttft.p90<=800ms`. Throws an InvalidOptionError that names the invalid part. */
export function parseBudget(text: string): LatencyBudget {
  const [, operation = '', figure = '', statistic = '', amount = '', unit = ''] =
    /^\s*([\w-]+)\.(\w+)\.(\w+)\s*<=\s*(\d+(?:\.\d+)?)\s*(ms|s)\s*$/.exec(text) ?? []
  if (operation === '') throw invalid(text, describeSyntaxProblem(text))
  if (!isOneOf(operation, TIMED_OPERATIONS)) {
    throw invalid(text, `has an unknown operation: use one of ${TIMED_OPERATIONS.join(', ')}`)
  }
  if (figure !== 'ttft' && figure !== 'total') throw invalid(text, 'has an unknown metric: use ttft or total')
  if (figure === 'ttft' && operation !== 'chat-stream') {
    throw invalid(text, 'uses ttft, which is measured only for chat-stream: write chat-stream.ttft')
  }
  if (!isStatistic(statistic)) throw invalid(text, `has an unknown statistic: use one of ${STATISTICS.join(', ')}`)
  return { operation, metric: figure, statistic, limitMs: Number(amount) * (unit === 's' ? 1000 : 1) }
}

/** Describes the first part of a budget that is missing or malformed. */
function describeSyntaxProblem(text: string): string {
  const budget = text.trim()
  const [name = '', operator = '', limit = ''] = budget.split(/\s*(<=|>=|<|>|=)\s*/)
  const [first = '', ...parts] = name.split('.')
  if (METRICS.includes(first) && parts.length <= 1) {
    const operation = first === 'total' ? 'chat' : 'chat-stream'
    const example = `${operation}.${first}.${parts[0] ?? 'p90'}<=${limit === '' ? '800ms' : limit}`
    return `names no operation: write ${example}. The operations are ${TIMED_OPERATIONS.join(', ')}`
  }
  if (METRICS.includes(parts[0] ?? '') && parts.length === 1) {
    return `names no statistic: write ${name}.p90<=800ms. The statistics are ${STATISTICS.join(', ')}`
  }
  if (parts.length === 2 && operator === '') return `has no limit: write ${name}<=800ms`
  if (parts.length === 2 && operator !== '<=') return `must use <=: write ${name}<=800ms`
  if (parts.length === 2 && /^\d+(\.\d+)?$/.test(limit)) return `has no unit: write ${limit}ms or ${limit}s`
  return 'is not a valid budget: write chat-stream.ttft.p90<=800ms'
}

const METRICS: readonly string[] = ['ttft', 'total']

function invalid(text: string, problem: string): InvalidOptionError {
  return new InvalidOptionError({ reason: 'invalid-value', option: 'budgets', value: show(text), problem })
}

/** Returns the number of samples to measure: `chosen`, or what the budgets require. 0 without a budget. */
export function countRequiredSamples(
  budgets: readonly LatencyBudget[],
  operation: TimedOperation,
  chosen: number | undefined,
): number {
  const own = budgets.filter((budget) => budget.operation === operation)
  if (own.length === 0) return 0
  return chosen ?? Math.max(MIN_SAMPLES.p50, ...own.map(({ statistic }) => MIN_SAMPLES[statistic]))
}

/** Compares samples with budgets. The verdict is `insufficient samples` if there are too few of them. */
export function evaluateBudgets(budgets: readonly LatencyBudget[], samples: LatencySamples): BudgetEntry[] {
  return budgets.map(({ operation, metric: figure, statistic, limitMs }) => {
    const values = samples.valuesOf(operation, figure)
    const actualMs = calculateStatistic(values, statistic)
    const needed = MIN_SAMPLES[statistic]
    return {
      metric: `${operation}.${figure}`,
      statistic,
      op: '<=',
      limit: limitMs,
      unit: 'ms',
      actual: actualMs === undefined ? null : roundMs(actualMs),
      n: values.length,
      needed,
      verdict: verdictOf(actualMs, limitMs, values.length >= needed),
    }
  })
}

function verdictOf(actualMs: number | undefined, limitMs: number, isEnough: boolean): BudgetEntry['verdict'] {
  if (actualMs === undefined || !isEnough) return 'insufficient samples'
  return actualMs <= limitMs ? 'within' : 'broken'
}

const SHARES = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, max: 1 } as const

/** Calculates a statistic of samples. Returns undefined without samples. */
export function calculateStatistic(values: readonly number[], statistic: Statistic): number | undefined {
  if (values.length === 0) return undefined
  if (statistic === 'mean') return values.reduce((sum, value) => sum + value, 0) / values.length
  return calculateNearestRank(
    values.toSorted((a, b) => a - b),
    SHARES[statistic],
  )
}

function isOneOf(text: string, names: readonly TimedOperation[]): text is TimedOperation {
  return names.some((name) => name === text)
}

function isStatistic(text: string): text is Statistic {
  return Object.hasOwn(MIN_SAMPLES, text)
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}
