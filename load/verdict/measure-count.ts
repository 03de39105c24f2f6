import type { TimedOperation } from '../../contract/facts.ts'
import { roundMs } from '../metrics/histogram.ts'
import { sumCounts } from '../metrics/measurements.ts'
import { type CountBudget, hasLowerBound } from './budget.ts'

/** Numbers of requests of an operation by outcome. */
interface RequestCounts {
  readonly sent: number
  readonly ok: number
  readonly failed: number
  readonly aborted: number
  readonly good: number
}

type CountsByOperation = Readonly<Partial<Record<string, RequestCounts>>>

/** Adds the counts of an operation, or of all operations if it is null. `ended` counts the finished requests. */
export function sumOperations(byOperation: CountsByOperation, operation: TimedOperation | null) {
  const selected = Object.entries(byOperation).flatMap(([of, counts]) =>
    counts === undefined || (operation !== null && operation !== of) ? [] : [counts],
  )
  const all = selected.map(({ sent, ok, failed, aborted, good }) => ({ sent, ok, failed, aborted, good }))
  const sum = sumCounts([{ sent: 0, ok: 0, failed: 0, aborted: 0, good: 0 }, ...all])
  return { ...sum, ended: sum.ok + sum.failed + sum.aborted }
}

/** Measured value of a budget, or null if no request was sent or finished, and the number of its samples. */
export interface MeasuredCount {
  readonly actual: number | null
  readonly n: number
}

/** Measures the count that a budget limits. Returns undefined for a count that requests by outcome do not show. */
export function measureCount(
  { metric, operation }: CountBudget,
  byOperation: CountsByOperation,
  durationMs: number,
): MeasuredCount | undefined {
  const { sent, ok, failed, good, ended } = sumOperations(byOperation, operation)
  const perSecond = (count: number) => ({ actual: sent === 0 ? null : calculateRate(count, durationMs), n: count })
  switch (metric) {
    case 'failed.rate':
      return { actual: ended === 0 ? null : roundMs((failed * 100) / ended), n: ended }
    case 'failed.count':
      return { actual: ended === 0 ? null : failed, n: ended }
    case 'rate':
      return perSecond(ok)
    case 'goodput':
      return perSecond(good)
    default:
      return undefined
  }
}

/** Returns a count per second, or null without a duration. */
export function calculateRate(count: number, durationMs: number): number | null {
  return durationMs <= 0 ? null : roundMs((count * 1000) / durationMs)
}

export function isLimitMet({ metric, limit }: CountBudget, actual: number): boolean {
  return hasLowerBound(metric) ? actual >= limit : actual <= limit
}
