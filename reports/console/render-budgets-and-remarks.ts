import type { BudgetEntry, CheckEntry, ConformanceDocument } from '../conformance-document.ts'
import { describeSeen, listDifferences } from '../conformance-verdict.ts'
import { listCodedRemarks, listHeadlineRemarks, isBudgetRemark, isHeadlineRemark } from '../remarks.ts'
import { formatCount } from '../../common/format-count.ts'
import { type TerminalColors, escapeTerminalText } from './terminal-text.ts'

/** Maximum length of a headline remark in characters. One of them lists the requests in flight. */
const MAX_HEADLINE_CHARACTERS = 1000

/** Renders the remarks that a report shows before all other results, such as that the target stopped responding. */
export function renderHeadlineRemarks(document: ConformanceDocument, paint: TerminalColors): string[] {
  const lines = listHeadlineRemarks(document).flatMap(({ text }) => text.split('\n'))
  return lines.map((line) => paint.yellow(escapeTerminalText(line, MAX_HEADLINE_CHARACTERS)))
}

/** Renders a line for each budget, and the remarks that reports show neither as headlines nor as budgets. */
export function renderBudgetsAndRemarks(document: ConformanceDocument, paint: TerminalColors): string[] {
  const { budgets = [], latency } = document
  const notes = latency.filter(({ note }) => note !== undefined)
  const others = listCodedRemarks(document).filter((remark) => !isBudgetRemark(remark) && !isHeadlineRemark(remark))
  return [
    ...(budgets.length === 0 ? [] : ['', paint.bold('Budgets'), ...budgets.map((budget) => budgetLine(budget, paint))]),
    ...(budgets.length === 0 ? [] : notes.map(({ note }) => `  ${paint.dim(escapeTerminalText(note ?? ''))}`)),
    ...(others.length === 0 ? [] : ['', ...others.map(({ text }) => paint.red(escapeTerminalText(text)))]),
  ]
}

function budgetLine(
  { metric, statistic, op, limit, unit, actual, n, needed, verdict }: BudgetEntry,
  paint: TerminalColors,
): string {
  const style = { within: paint.green, broken: paint.red, 'insufficient samples': paint.yellow }[verdict]
  const seen = actual === null ? 'nothing measured' : `${actual} ${unit} over ${formatCount(n, 'sample')}`
  const want = verdict === 'insufficient samples' ? ` (${statistic} needs ${needed}: see --samples)` : ''
  return `  ${style(verdict)}  ${escapeTerminalText(`${metric}.${statistic} ${op} ${limit} ${unit}`)}: ${seen}${want}`
}

export function renderDifferences(document: ConformanceDocument, paint: TerminalColors): string[] {
  const lines = listDifferences(document).map(
    (entry) =>
      `  ${escapeTerminalText(entry.text)}: ${escapeTerminalText(entry.why)} ${paint.dim(`(${describeSeen(entry)})`)}`,
  )
  return lines.length === 0 ? [] : ['', paint.bold(`Declared differences (${lines.length})`), ...lines]
}

export function renderChecksWithReasons(
  heading: string,
  checks: readonly CheckEntry[],
  reasonOf: (check: CheckEntry) => string | undefined,
  paint: TerminalColors,
): string[] {
  const lines = checks.flatMap((check) => {
    const reason = reasonOf(check)
    return reason === undefined
      ? []
      : [
          `  ${escapeTerminalText(check.id)}: ${escapeTerminalText(reason)} ${paint.dim(escapeTerminalText(`(${check.actual})`, 100))}`,
        ]
  })
  return lines.length === 0 ? [] : ['', paint.bold(`${heading} (${lines.length})`), ...lines]
}
