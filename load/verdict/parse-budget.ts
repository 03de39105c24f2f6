import { TIMED_OPERATIONS, type TimedOperation } from '../../contract/facts.ts'
import { InvalidOptionError } from '../options/invalid-option-error.ts'
import {
  ADDED_METRIC_FIELDS,
  type Budget,
  COUNT_UNITS,
  type CountBudget,
  hasLowerBound,
  LATENCY_METRIC_FIELDS,
  type LatencyMetric,
  MIN_SAMPLES,
  OPERATIONS_WITH_USAGE,
  TOKEN_METRICS,
} from './budget.ts'

interface BudgetText {
  readonly text: string
  readonly operation: TimedOperation | null
  /** Metric and statistic, without the operation: `ttft.p99`, `rate`. */
  readonly name: string
  readonly op: string
  readonly amount: number
  readonly unit: string
}

/**
 * Parses a budget such as `ttft.p99<=800ms`, `images.e2e.p90<=5s`, `failed.rate<=1%` or `rate>=50/s`.
 * @throws InvalidOptionError that names the invalid component and its valid values
 */
export function parseBudget(text: string): Budget {
  const parts = splitBudget(text)
  const [metric = '', ...rest] = parts.name.split('.')
  if (metric === 'added') return addedBudget(parts, rest)
  if (isKeyOf(LATENCY_METRIC_FIELDS, metric)) return latencyBudget(parts, metric, rest.join('.'))
  if (isKeyOf(COUNT_UNITS, parts.name)) return countBudget(parts, parts.name)
  const names = [
    ...Object.keys(LATENCY_METRIC_FIELDS),
    ...Object.keys(COUNT_UNITS),
    ...Object.keys(ADDED_METRIC_FIELDS),
  ].join(', ')
  throw invalidBudget(
    parts,
    `has an unknown metric. ${suggestMetric(parts)}Use one of ${names}, for all operations or for one (images.e2e.p90<=5s)`,
  )
}

/**
 * Returns a question that names the metric that the user probably means: `ttft.p90` for `TTFT.P90`, `failed.rate` for
 * `failed`. Returns an empty string if there is none.
 */
function suggestMetric({ name, unit }: BudgetText): string {
  const lower = name.toLowerCase()
  const isKnown = isKeyOf(COUNT_UNITS, lower) || isKeyOf(LATENCY_METRIC_FIELDS, lower.split('.')[0] ?? '')
  if (isKnown && lower !== name) return `Did you mean ${lower}? `
  const longer = Object.entries(COUNT_UNITS).filter(([metric]) => metric.startsWith(`${lower}.`))
  const [metric] = longer.find(([, unitOf]) => unitOf === unit) ?? longer[0] ?? []
  return metric === undefined ? '' : `Did you mean ${metric}? `
}

/** Matches a comparison operator other than `<=` and `>=`, between a metric and a number. */
const WRONG_OPERATOR = /^\s*[\w.-]+\s*(<|>|==?|=<|=>)\s*\d/

function splitBudget(text: string): BudgetText {
  const match = /^\s*([\w.-]+?)\s*(<=|>=)\s*(\d+(?:\.\d+)?)\s*(ms|s|%|\/s)?\s*$/.exec(text)
  if (match === null) {
    const operator = WRONG_OPERATOR.exec(text)?.[1]
    if (operator !== undefined) {
      throw invalidBudget(
        { text },
        `has the operator ${operator}. Use <= for an upper limit, or >= for rate, goodput and tokens.rate`,
      )
    }
    throw invalidBudget({ text }, "has an invalid form. Write 'ttft.p99<=800ms', 'failed.rate<=1%' or 'rate>=50/s'")
  }
  const [, path = '', op = '', amount = '', unit = ''] = match
  const operation = TIMED_OPERATIONS.find((name) => path.startsWith(`${name}.`)) ?? null
  const name = operation === null ? path : path.slice(operation.length + 1)
  return { text, operation, name, op, amount: Number(amount), unit }
}

function latencyBudget(parts: BudgetText, metric: LatencyMetric, statistic: string): Budget {
  const { operation } = parts
  if (TOKEN_METRICS.includes(metric) && operation !== null && operation !== 'chat-stream') {
    throw invalidBudget(parts, `cannot be measured: ${metric} exists for chat-stream only`)
  }
  return { kind: 'latency', operation, metric, ...parseLimit(parts, metric, statistic) }
}

/** Parses a budget on added latency, such as `added.ttft.p99<=20ms`. */
function addedBudget(parts: BudgetText, [group = '', ...statistic]: readonly string[]): Budget {
  const { operation } = parts
  const metric = `added.${group}`
  if (!isKeyOf(ADDED_METRIC_FIELDS, metric)) {
    throw invalidBudget(
      parts,
      `has an unknown metric. Use one of ${Object.keys(ADDED_METRIC_FIELDS).join(', ')}, as in added.ttft.p99<=20ms`,
    )
  }
  if (operation !== null)
    throw invalidBudget(parts, 'names an operation, but added latencies exist only for the whole run')
  return { kind: 'added', operation, metric, ...parseLimit(parts, metric, statistic.join('.')) }
}

/** Parses the statistic and the limit of a latency. */
function parseLimit(parts: BudgetText, metric: string, statistic: string) {
  const { op, amount, unit } = parts
  if (!isKeyOf(MIN_SAMPLES, statistic)) {
    const lower = statistic.toLowerCase()
    throw invalidBudget(
      parts,
      `has no known statistic. ${isKeyOf(MIN_SAMPLES, lower) ? `Did you mean ${lower}? ` : ''}Use one of ${Object.keys(MIN_SAMPLES).join(', ')}, as in ${metric}.p90<=800ms`,
    )
  }
  if (op !== '<=') throw invalidBudget(parts, 'must use <=, because a latency has an upper bound')
  if (unit !== 'ms' && unit !== 's') throw invalidBudget(parts, 'needs a unit, ms or s')
  return { statistic, limitMs: amount * (unit === 's' ? 1000 : 1) }
}

function countBudget(parts: BudgetText, metric: CountBudget['metric']): Budget {
  const { operation, op, amount, unit } = parts
  const expectedOp = hasLowerBound(metric) ? '>=' : '<='
  if (op !== expectedOp) throw invalidBudget(parts, `must use ${expectedOp} for ${metric}`)
  if (unit !== COUNT_UNITS[metric]) {
    throw invalidBudget(
      parts,
      COUNT_UNITS[metric] === '' ? 'is a number without a unit' : `needs the unit ${COUNT_UNITS[metric]}`,
    )
  }
  if (unit === '%' && amount > 100) throw invalidBudget(parts, 'must be at most 100 %')
  if (metric === 'dropped.count' && operation !== null) {
    throw invalidBudget(parts, 'names an operation, but dropped.count exists only for the whole run')
  }
  if (metric === 'tokens.rate' && operation !== null && !OPERATIONS_WITH_USAGE.includes(operation)) {
    throw invalidBudget(parts, `cannot be measured: tokens.rate exists for ${OPERATIONS_WITH_USAGE.join(' and ')} only`)
  }
  return { kind: 'count', operation, metric, limit: amount }
}

function isKeyOf<Table extends object>(table: Table, name: string): name is keyof Table & string {
  return Object.hasOwn(table, name)
}

function invalidBudget({ text }: Pick<BudgetText, 'text'>, problem: string): InvalidOptionError {
  const value = text.slice(0, 60)
  const sentence = `The budget ${JSON.stringify(value)} ${problem}.`
  return new InvalidOptionError({ reason: 'invalid-value', option: 'budgets', value, problem: sentence })
}

/** Formats a budget in the syntax of `parseBudget`. */
export function formatBudget(budget: Budget): string {
  const of = budget.operation === null ? '' : `${budget.operation}.`
  if (budget.kind !== 'count') return `${of}${budget.metric}.${budget.statistic}<=${budget.limitMs}ms`
  return `${of}${budget.metric}${hasLowerBound(budget.metric) ? '>=' : '<='}${budget.limit}${COUNT_UNITS[budget.metric]}`
}

export function getMinSamples(budget: Budget): number {
  return budget.kind === 'count' ? 1 : MIN_SAMPLES[budget.statistic]
}
