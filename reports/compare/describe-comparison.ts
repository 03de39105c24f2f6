import { formatCount } from '../../common/format-count.ts'
import { formatNumber } from '../load-verdict.ts'
import type { Comparison, ChangeDirection, PercentileChange } from './comparison.ts'
import type { ConfidenceInterval } from './confidence.ts'

export function describeComparison({ changes, moves, before, after, headline }: Comparison): string {
  const count = (direction: ChangeDirection): number =>
    [...changes, ...moves].filter((change) => change.direction === direction).length
  const [worse, better, different] = [count('worse'), count('better'), count('different')]
  const whose = `${before.target === after.target ? '' : ' The targets differ.'}${headline === undefined ? '' : ` ${headline}`}`
  if (worse + better + different === 0) return `Nothing changed.${whose}`
  const parts = [
    worse === 0 ? 'nothing is worse' : `${formatCount(worse, 'result')} ${worse === 1 ? 'is' : 'are'} worse`,
    ...(better === 0 ? [] : [`${better} better`]),
    ...(different === 0 ? [] : [`${different} different`]),
  ]
  const run =
    before.verdict === after.verdict ? '' : `from ${formatVerdict(before.verdict)} to ${formatVerdict(after.verdict)}: `
  const sentence = run + parts.join(', ')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.${whose}`
}

export function formatVerdict(verdict: string): string {
  return verdict.replaceAll(/(?<!non)-/g, ' ')
}

/** Formats a value with its interval: `310 ms (305 to 316)`. */
export function formatWithInterval(value: number, interval: ConfidenceInterval | undefined): string {
  const range = interval === undefined ? '' : ` (${formatNumber(interval.low)} to ${formatNumber(interval.high)})`
  return `${formatNumber(value)} ms${range}`
}

/** Describes the percentiles that could not be compared, grouped by reason: `Not evaluated (too few samples): chat ttft p99`. */
export function describeUnclear(unclear: readonly PercentileChange[]): string {
  const byNote = Map.groupBy(unclear, ({ note }) => note ?? '')
  const groups = [...byNote].map(([note, group]) => `(${note}): ${group.map(({ figure }) => figure).join(', ')}`)
  return `Not evaluated ${groups.join('; ')}`
}

export function separateUnclearChanges(moves: readonly PercentileChange[]): {
  moved: PercentileChange[]
  unclear: PercentileChange[]
} {
  return {
    moved: moves.filter(({ direction }) => direction !== 'unclear'),
    unclear: moves.filter(({ direction }) => direction === 'unclear'),
  }
}
