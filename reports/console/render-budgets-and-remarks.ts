import type { BudgetEntry, CheckEntry, ConformanceDocument } from '../conformance-document.ts'
import { listCodedRemarks, listHeadlineRemarks, isBudgetRemark, isHeadlineRemark } from '../remarks.ts'
import { formatCount, type Paint, escapeText } from './terminal-text.ts'

/** A target that stopped responding is named with the requests in flight. */
const MAX_HEADLINE_CHARACTERS = 1000

/** Renders the remarks that come first, e.g. that the target stopped responding. */
export function renderHeadlineRemarks(document: ConformanceDocument, paint: Paint): string[] {
  // One line of the terminal for each line of the text.
  const lines = listHeadlineRemarks(document).flatMap(({ text }) => text.split('\n'))
  return lines.map((line) => paint.yellow(escapeText(line, MAX_HEADLINE_CHARACTERS)))
}

/** Renders a line for each budget, and the remarks that affect the verdict. */
export function renderBudgetsAndRemarks(document: ConformanceDocument, paint: Paint): string[] {
  const { budgets = [], latency } = document
  const notes = latency.filter(({ note }) => note !== undefined)
  const others = listCodedRemarks(document).filter((remark) => !isBudgetRemark(remark) && !isHeadlineRemark(remark))
  return [
    ...(budgets.length === 0 ? [] : ['', paint.bold('Budgets'), ...budgets.map((budget) => budgetLine(budget, paint))]),
    ...(budgets.length === 0 ? [] : notes.map(({ note }) => `  ${paint.dim(escapeText(note ?? ''))}`)),
    ...(others.length === 0 ? [] : ['', ...others.map(({ text }) => paint.red(escapeText(text)))]),
  ]
}

function budgetLine(
  { metric, statistic, op, limit, unit, actual, n, needed, verdict }: BudgetEntry,
  paint: Paint,
): string {
  const style = { within: paint.green, broken: paint.red, 'insufficient samples': paint.yellow }[verdict]
  const seen = actual === null ? 'nothing measured' : `${actual} ${unit} over ${formatCount(n, 'sample')}`
  const want = verdict === 'insufficient samples' ? ` (${statistic} needs ${needed}: see --samples)` : ''
  return `  ${style(verdict)}  ${escapeText(`${metric}.${statistic} ${op} ${limit} ${unit}`)}: ${seen}${want}`
}

/** Renders a line for each known failure or accepted gap, with its reason. */
export function renderChecksWithReasons(
  heading: string,
  checks: readonly CheckEntry[],
  reasonOf: (check: CheckEntry) => string | undefined,
  paint: Paint,
): string[] {
  const lines = checks.flatMap((check) => {
    const reason = reasonOf(check)
    return reason === undefined
      ? []
      : [`  ${check.id}: ${escapeText(reason)} ${paint.dim(escapeText(`(${check.actual})`, 100))}`]
  })
  return lines.length === 0 ? [] : ['', paint.bold(`${heading} (${lines.length})`), ...lines]
}
