import { LOAD_OPERATIONS, type LoadOperation } from '../../scenarios/lib/load-operation.ts'
import { LoadUsageError } from '../options/invalid-option-error.ts'
import {
  type Budget,
  COUNT_UNITS,
  type CountBudget,
  isLeast,
  LATENCY_METRICS,
  type LatencyMetric,
  NEEDED_SAMPLES,
  type Statistic,
  TOKEN_METRICS,
} from './budget.ts'

/** A budget taken apart, before anything of it is understood. */
interface Parts {
  readonly text: string
  readonly operation: LoadOperation | null
  /** What stands before the comparison, without the operation: `ttft.p99`, `rate`. */
  readonly name: string
  readonly op: string
  readonly amount: number
  readonly unit: string
}

/**
 * Reads a budget such as `ttft.p99<=800ms`, `images.e2e.p90<=5s`, `failed.rate<=1%`, `rate>=50/s`.
 * @throws LoadUsageError saying which part is wrong and what it may be
 */
export function parseBudget(text: string): Budget {
  const parts = takeApart(text)
  const [metric = '', statistic = ''] = parts.name.split('.', 2)
  if (isLatencyMetric(metric)) return latencyBudget(parts, metric, statistic)
  if (isCountMetric(parts.name)) return countBudget(parts, parts.name)
  const names = [...Object.keys(LATENCY_METRICS), ...Object.keys(COUNT_UNITS)].join(', ')
  throw faulty(parts, `names no known metric: there are ${names}, each also of one operation (images.e2e.p90<=5s)`)
}

/** Reads a file of budgets: one a line; empty lines and those that start with # are left out. @throws LoadUsageError */
export function parseBudgetFile(text: string): Budget[] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map(parseBudget)
}

function takeApart(text: string): Parts {
  const match = /^\s*([\w.-]+?)\s*(<=|>=)\s*(\d+(?:\.\d+)?)\s*(ms|s|%|\/s)?\s*$/.exec(text)
  if (match === null) {
    throw faulty({ text }, "cannot be read: write it like 'ttft.p99<=800ms', 'failed.rate<=1%' or 'rate>=50/s'")
  }
  const [, path = '', op = '', amount = '', unit = ''] = match
  const operation = LOAD_OPERATIONS.find((name) => path.startsWith(`${name}.`)) ?? null
  const name = operation === null ? path : path.slice(operation.length + 1)
  return { text, operation, name, op, amount: Number(amount), unit }
}

function latencyBudget(parts: Parts, metric: LatencyMetric, statistic: string): Budget {
  const { operation, op, amount, unit } = parts
  if (!isStatistic(statistic)) {
    throw faulty(parts, `names no statistic of ${metric}: it can be one of ${Object.keys(NEEDED_SAMPLES).join(', ')}`)
  }
  if (TOKEN_METRICS.includes(metric) && operation !== null && operation !== 'chat-stream') {
    throw faulty(parts, `cannot be measured: ${metric} exists for chat-stream only`)
  }
  if (op !== '<=') throw faulty(parts, 'is the wrong way round: a latency is held with <=')
  if (unit !== 'ms' && unit !== 's') throw faulty(parts, 'needs a unit, ms or s')
  return { kind: 'latency', operation, metric, statistic, limitMs: amount * (unit === 's' ? 1000 : 1) }
}

function countBudget(parts: Parts, metric: CountBudget['metric']): Budget {
  const { operation, op, amount, unit } = parts
  const wanted = isLeast(metric) ? '>=' : '<='
  if (op !== wanted) throw faulty(parts, `is the wrong way round: ${metric} is held with ${wanted}`)
  if (unit !== COUNT_UNITS[metric]) {
    throw faulty(
      parts,
      COUNT_UNITS[metric] === '' ? 'is a number without unit' : `needs the unit ${COUNT_UNITS[metric]}`,
    )
  }
  if (metric === 'dropped.count' && operation !== null) {
    throw faulty(parts, 'cannot be kept apart: dropped.count is of the whole run')
  }
  return { kind: 'count', operation, metric, limit: amount }
}

function isLatencyMetric(name: string): name is LatencyMetric {
  return Object.hasOwn(LATENCY_METRICS, name)
}

function isStatistic(name: string): name is Statistic {
  return Object.hasOwn(NEEDED_SAMPLES, name)
}

function isCountMetric(name: string): name is CountBudget['metric'] {
  return Object.hasOwn(COUNT_UNITS, name)
}

function faulty({ text }: Pick<Parts, 'text'>, what: string): LoadUsageError {
  return new LoadUsageError(`The budget ${JSON.stringify(text.slice(0, 60))} ${what}.`)
}
