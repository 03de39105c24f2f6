import { nameBudget } from '../../common/format-budget.ts'
import type { LoadBudget } from '../../reports/load-parts-document.ts'

/** Formats a budget of a document in the syntax of `parseBudget`. */
export function formatDocumentBudget(budget: LoadBudget): string {
  const { op, limit, unit } = budget
  return `${nameBudget(budget)}${op}${limit}${unit}`
}
