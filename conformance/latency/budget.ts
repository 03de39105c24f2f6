import type { Operation } from '../../contract/facts.ts'
import { InvalidOptionError } from '../invalid-option-error.ts'

/** What is timed apart: a streamed chat is another thing than a whole one. */
export type TimedOperation = Operation | 'chat-stream'

/** `ttft`: from the start of the request to the first token; `total`: to the last byte. */
export type Figure = 'ttft' | 'total'

/** Statistics that a budget may name, with the samples that each needs to say something. */
export const NEEDED_SAMPLES = {
  // So many that at most one of them lies above the percentile with a chance of 1 % or less.
  p50: 11,
  p90: 64,
  p95: 130,
  p99: 662,
  max: 1,
  mean: 1,
} as const

export type Statistic = keyof typeof NEEDED_SAMPLES

/** How long something may take, e.g. `chat-stream.ttft.p90<=800ms`. */
export interface LatencyBudget {
  readonly operation: TimedOperation
  readonly figure: Figure
  readonly statistic: Statistic
  readonly limitMs: number
}

/** All that can be timed, in the order of the document. */
export const TIMED_OPERATIONS: readonly TimedOperation[] = [
  'models',
  'chat',
  'chat-stream',
  'images',
  'transcriptions',
  'speech',
]

const STATISTICS = Object.keys(NEEDED_SAMPLES)

/**
 * Reads a budget like `chat-stream.ttft.p90<=800ms`.
 * @throws InvalidOptionError saying which part is wrong and what it may be
 */
export function parseBudget(text: string): LatencyBudget {
  const [, operation = '', figure = '', statistic = '', amount = '', unit = ''] =
    /^\s*([\w-]+)\.(\w+)\.(\w+)\s*<=\s*(\d+(?:\.\d+)?)\s*(ms|s)\s*$/.exec(text) ?? []
  if (operation === '') {
    throw invalid(text, "cannot be read: write it like 'chat-stream.ttft.p90<=800ms'")
  }
  if (!isOneOf(operation, TIMED_OPERATIONS)) {
    throw invalid(text, `names no operation: it can be one of ${TIMED_OPERATIONS.join(', ')}`)
  }
  if (figure !== 'ttft' && figure !== 'total') {
    throw invalid(text, 'names no figure: it can be ttft or total')
  }
  if (figure === 'ttft' && operation !== 'chat-stream') {
    throw invalid(text, 'names the time to the first token, which is measured on chat-stream only')
  }
  if (!isStatistic(statistic)) {
    throw invalid(text, `names no statistic: it can be one of ${STATISTICS.join(', ')}`)
  }
  return { operation, figure, statistic, limitMs: Number(amount) * (unit === 's' ? 1000 : 1) }
}

function invalid(text: string, problem: string): InvalidOptionError {
  return new InvalidOptionError({ reason: 'invalid-value', option: 'budgets', value: show(text), problem })
}

/**
 * Requests to send for the budgets on one operation: as many as the most demanding statistic needs, unless a number was
 * chosen.
 */
export function samplesFor(
  budgets: readonly LatencyBudget[],
  operation: TimedOperation,
  chosen: number | undefined,
): number {
  const own = budgets.filter((budget) => budget.operation === operation)
  if (own.length === 0) {
    return 0
  }
  return chosen ?? Math.max(NEEDED_SAMPLES.p50, ...own.map(({ statistic }) => NEEDED_SAMPLES[statistic]))
}

function isOneOf(text: string, names: readonly TimedOperation[]): text is TimedOperation {
  return names.some((name) => name === text)
}

function isStatistic(text: string): text is Statistic {
  return Object.hasOwn(NEEDED_SAMPLES, text)
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 60))
}
