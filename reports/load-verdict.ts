import { formatCount } from './console/terminal-text.ts'
import type { LoadBudget, LoadDocument, LoadFigure, LoadVerdict } from './load-document.ts'

/** The verdict of a load run as a person says it. */
export const LOAD_VERDICT_LABELS: Readonly<Record<LoadVerdict, string>> = {
  'within-budgets': 'Within budgets',
  'budget-broken': 'Budget broken',
  incomplete: 'Incomplete',
  invalid: 'Invalid',
  'harness-error': 'Harness error',
}

/** The verdict of a load run in one sentence, without the name of the target. */
export function describeLoadVerdict({ verdict, budgets, reasons, requests }: LoadDocument): string {
  const sent = formatCount(requests.sent, 'request')
  const broken = budgets.filter((budget) => budget.verdict === 'broken')
  switch (verdict) {
    case 'within-budgets':
      return `${budgets.length === 1 ? 'The budget is' : `All ${budgets.length} budgets are`} kept over ${sent}.`
    case 'budget-broken':
      return `${broken.length} of ${formatCount(budgets.length, 'budget')} broken over ${sent}: ${broken.map(brokenWords).join('; ')}.`
    case 'incomplete':
    case 'invalid':
    case 'harness-error':
      return reasons.length === 0 ? `The run judges nothing, over ${sent}.` : reasons.join(' ')
  }
}

/** What is said of streams that have no times between their tokens. */
export const SINGLE_READ_NOTE = 'everything came in one piece: no gaps'

/** True of times between tokens that are all 0: each stream was there at once, with its first token. */
export function cameInSingleRead(metric: string, { n, max }: LoadFigure): boolean {
  return (metric === 'gapMs' || metric === 'tpotMs') && n > 0 && max === 0
}

/** `ttft.p99 <= 800 ms`. */
export function formatBudget({ metric, statistic, op, limit, unit }: LoadBudget): string {
  return `${metric}.${statistic} ${op} ${limit} ${unit}`.trimEnd()
}

/** What was measured, with its unit. */
export function formatActual({ actual, unit }: LoadBudget): string {
  return actual === null ? 'nothing measured' : `${formatNumber(actual)} ${unit}`.trimEnd()
}

function brokenWords(budget: LoadBudget): string {
  return `${formatBudget(budget)} was ${formatActual(budget)}`
}

/** A number with as many digits as a person reads. */
export function formatNumber(value: number): string {
  const size = Math.abs(value)
  const digits = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

/** A duration in the unit that suits it. */
export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${formatNumber(seconds)} s`
  return seconds < 7200 ? `${formatNumber(seconds / 60)} min` : `${formatNumber(seconds / 3600)} h`
}
