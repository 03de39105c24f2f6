import { formatCount } from '../console/terminal-text.ts'
import { formatNumber } from '../load-verdict.ts'
import type { Comparison, Direction, Move } from './comparison.ts'
import type { Interval } from './confidence.ts'

/** What came of a comparison, in a sentence. */
export function describeComparison({ changes, moves, before, after }: Comparison): string {
  const count = (direction: Direction): number =>
    [...changes, ...moves].filter((change) => change.direction === direction).length
  const [worse, better, different] = [count('worse'), count('better'), count('different')]
  const whose = before.target === after.target ? '' : ' These are two targets.'
  if (worse + better + different === 0) return `Nothing changed.${whose}`
  const parts = [
    worse === 0 ? 'nothing is worse' : `${formatCount(worse, 'thing')} ${worse === 1 ? 'is' : 'are'} worse`,
    ...(better === 0 ? [] : [`${better} better`]),
    ...(different === 0 ? [] : [`${different} different`]),
  ]
  const run =
    before.verdict === after.verdict ? '' : `from ${formatVerdict(before.verdict)} to ${formatVerdict(after.verdict)}: `
  const sentence = run + parts.join(', ')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.${whose}`
}

/** The verdict of a run as it stands within a sentence. */
export function formatVerdict(verdict: string): string {
  return verdict === 'non-conformant' ? verdict : verdict.replaceAll('-', ' ')
}

/** `310 ms (305 to 316)`. */
export function formatWithInterval(value: number, interval: Interval | undefined): string {
  const range = interval === undefined ? '' : ` (${formatNumber(interval.low)} to ${formatNumber(interval.high)})`
  return `${formatNumber(value)} ms${range}`
}

/** Moves that could be judged, and those that could not. */
export function splitMoves(moves: readonly Move[]): { moved: Move[]; unclear: Move[] } {
  return {
    moved: moves.filter(({ direction }) => direction !== 'unclear'),
    unclear: moves.filter(({ direction }) => direction === 'unclear'),
  }
}
