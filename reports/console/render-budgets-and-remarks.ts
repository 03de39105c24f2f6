import type { BudgetEntry, CheckEntry, ConformanceDocument } from '../conformance-document.ts'
import { isTargetQuestion, isBudgetRemark } from '../remarks.ts'
import { formatCount, type Paint, safeText } from './terminal-text.ts'

/** Renders the remarks that ask whether the run tested the right service. They come first. */
export function renderTargetQuestions({ remarks = [] }: ConformanceDocument, paint: Paint): string[] {
  return remarks.filter(isTargetQuestion).map((remark) => paint.yellow(safeText(remark)))
}

/** Renders a line for each budget, and the remarks that affect the verdict. */
export function renderBudgetsAndRemarks(
  { budgets = [], remarks = [], latency }: ConformanceDocument,
  paint: Paint,
): string[] {
  const notes = latency.filter(({ note }) => note !== undefined)
  const said = remarks.filter((remark) => !isBudgetRemark(remark) && !isTargetQuestion(remark))
  return [
    ...(budgets.length === 0 ? [] : ['', paint.bold('Budgets'), ...budgets.map((budget) => budgetLine(budget, paint))]),
    ...(budgets.length === 0 ? [] : notes.map(({ note }) => `  ${paint.dim(safeText(note ?? ''))}`)),
    ...(said.length === 0 ? [] : ['', ...said.map((remark) => paint.red(safeText(remark)))]),
  ]
}

function budgetLine(
  { metric, statistic, op, limit, unit, actual, n, needed, verdict }: BudgetEntry,
  paint: Paint,
): string {
  const style = { within: paint.green, broken: paint.red, 'insufficient samples': paint.yellow }[verdict]
  const seen = actual === null ? 'nothing measured' : `${actual} ${unit} over ${formatCount(n, 'sample')}`
  const want = verdict === 'insufficient samples' ? ` (${statistic} needs ${needed}: see --samples)` : ''
  return `  ${style(verdict)}  ${safeText(`${metric}.${statistic} ${op} ${limit} ${unit}`)}: ${seen}${want}`
}

/** Renders a line for each known failure or accepted gap, with its reason. */
export function renderExceptions(
  heading: string,
  checks: readonly CheckEntry[],
  reasonOf: (check: CheckEntry) => string | undefined,
  paint: Paint,
): string[] {
  const lines = checks.flatMap((check) => {
    const reason = reasonOf(check)
    return reason === undefined
      ? []
      : [`  ${check.id}: ${safeText(reason)} ${paint.dim(safeText(`(${check.actual})`, 100))}`]
  })
  return lines.length === 0 ? [] : ['', paint.bold(`${heading} (${lines.length})`), ...lines]
}
