import type { BudgetEntry, CheckEntry, ConformanceDocument } from '../conformance-document.ts'
import { counted, type Paint, safeText } from './terminal-text.ts'

/** What of a run stands beside its verdict: known failures, accepted gaps and broken budgets are no one's secret. */
export function qualifiersBeside({ checks, budgets = [], remarks = [] }: ConformanceDocument): string[] {
  const known = checks.filter(({ knownFailure }) => knownFailure !== undefined).length
  const accepted = checks.filter((check) => check.accepted !== undefined).length
  const broken = budgets.filter(({ verdict }) => verdict === 'broken').length
  return [
    ...(remarks.includes('The run was interrupted.') ? ['interrupted'] : []),
    ...(known === 0 ? [] : [counted(known, 'known failure')]),
    ...(accepted === 0 ? [] : [`${accepted} accepted as not testable`]),
    ...(broken === 0 ? [] : [`${counted(broken, 'budget')} broken`]),
  ]
}

/** The questions that a run raises, which come before all that it found: whether it was the right service that was tested. */
export function renderQuestions({ remarks = [] }: ConformanceDocument, paint: Paint): string[] {
  return remarks.filter((remark) => remark.endsWith('?')).map((remark) => paint.yellow(safeText(remark)))
}

/** One line for each budget, and one for whatever else beside the checks bears on the verdict. */
export function renderBeside({ budgets = [], remarks = [], latency }: ConformanceDocument, paint: Paint): string[] {
  const notes = latency.filter(({ note }) => note !== undefined)
  const said = remarks.filter((remark) => !remark.startsWith('The budget ') && !remark.endsWith('?'))
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
  const seen = actual === null ? 'nothing measured' : `${actual} ${unit} over ${counted(n, 'sample')}`
  const want = verdict === 'insufficient samples' ? ` (${statistic} needs ${needed}: see --samples)` : ''
  return `  ${style(verdict)}  ${safeText(`${metric}.${statistic} ${op} ${limit} ${unit}`)}: ${seen}${want}`
}

/** Checks that a list excuses, one line each, with the reason that it gives. */
export function renderExcused(
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
