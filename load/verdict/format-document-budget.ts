import type { LoadBudget } from '../../reports/load-parts-document.ts'

/** Formats a budget of a document in the syntax of `parseBudget`. */
export function formatDocumentBudget({ metric, statistic, op, limit, unit }: LoadBudget): string {
  const name = metric.split('.').at(-1) === statistic ? metric : `${metric}.${statistic}`
  return `${name}${op}${limit}${unit}`
}
